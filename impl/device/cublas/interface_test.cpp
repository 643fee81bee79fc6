// The interface as it is declared here against cuBLAS's own header, while this file is compiled.
#include "impl/device/cublas/interface.hpp"

#include <cublas_v2.h>

#include <type_traits>

namespace zerocts::engine::cublas {
namespace {

/// The same calling convention: pointers for pointers, int or an enum of its size for either, the rest equal.
template <typename Mine, typename Theirs>
constexpr bool kSameArgument = (std::is_pointer_v<Mine> && std::is_pointer_v<Theirs>) || std::is_same_v<Mine, Theirs> ||
                               ((std::is_enum_v<Mine> || std::is_same_v<Mine, int>)&&std::is_enum_v<Theirs> &&
                                sizeof(Mine) == sizeof(Theirs));

template <typename Mine, typename Theirs>
constexpr bool kSame = false;
template <typename M, typename... Ms, typename T, typename... Ts>
requires(sizeof...(Ms) == sizeof...(Ts)) constexpr bool kSame<M(Ms...), T(Ts...)> = kSameArgument<M, T> &&
                                                                                    (kSameArgument<Ms, Ts> && ...);

static_assert(kSame<GetProperty, decltype(cublasGetProperty)>);
static_assert(kSame<GetStatusString, decltype(cublasGetStatusString)>);
static_assert(kSame<Create, decltype(cublasCreate_v2)>);
static_assert(kSame<Destroy, decltype(cublasDestroy_v2)>);
static_assert(kSame<SetStream, decltype(cublasSetStream_v2)>);
static_assert(kSame<SetWorkspace, decltype(cublasSetWorkspace_v2)>);
static_assert(kSame<SetMathMode, decltype(cublasSetMathMode)>);
static_assert(kSame<SetAtomicsMode, decltype(cublasSetAtomicsMode)>);
// This one has two overloads in C++; the exported one takes a cublasComputeType_t.
using TheirGemm = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                 const void*, cudaDataType, int, long long, const void*, cudaDataType, int, long long,
                                 const void*, void*, cudaDataType, int, long long, int, cublasComputeType_t,
                                 cublasGemmAlgo_t);
static_assert(kSame<GemmStridedBatchedEx, TheirGemm>);
static_assert(sizeof(static_cast<TheirGemm*>(&cublasGemmStridedBatchedEx)) > 0);

static_assert(kSuccess == CUBLAS_STATUS_SUCCESS);
static_assert(int{kPlain} == CUBLAS_OP_N && int{kTransposed} == CUBLAS_OP_T);
static_assert(int{kFp32} == CUDA_R_32F && int{kBf16} == CUDA_R_16BF);
static_assert(int{kInFp32} == CUBLAS_COMPUTE_32F && int{kInTf32} == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(int{kHeuristic} == CUBLAS_GEMM_DEFAULT);
static_assert(int{kDefaultMath} == CUBLAS_DEFAULT_MATH);
static_assert(int{kWithoutAtomics} == CUBLAS_ATOMICS_NOT_ALLOWED);

}  // namespace
}  // namespace zerocts::engine::cublas
