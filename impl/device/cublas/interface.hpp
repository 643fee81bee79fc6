// What is used of cuBLAS, as its C interface has stood since version 11: declared here, so that a build needs neither
// its headers nor its library. A test compares it with the header where there is one.
#pragma once
#include <cstddef>

namespace zerocts::engine::cublas {

using Handle = void*;  // cublasHandle_t
using Stream = void*;  // cudaStream_t
using Status = int;    // cublasStatus_t; newer versions have more of them
constexpr Status kSuccess = 0;

// cublasOperation_t, cudaDataType, cublasComputeType_t, cublasGemmAlgo_t, cublasMath_t, cublasAtomicsMode_t
enum Operation : int { kPlain = 0, kTransposed = 1 };
enum DataType : int { kFp32 = 0, kBf16 = 14 };
enum ComputeType : int { kInFp32 = 68, kInTf32 = 77 };
enum Algorithm : int { kHeuristic = -1 };
enum MathMode : int { kDefaultMath = 0 };
enum AtomicsMode : int { kWithoutAtomics = 0 };

using GetProperty = Status(int property, int* value);  // 0: major, 1: minor, 2: patch of the version
using GetStatusString = const char*(Status status);
using Create = Status(Handle* handle);
using Destroy = Status(Handle handle);
using SetStream = Status(Handle handle, Stream stream);
using SetWorkspace = Status(Handle handle, void* workspace, size_t bytes);
using SetMathMode = Status(Handle handle, MathMode mode);
using SetAtomicsMode = Status(Handle handle, AtomicsMode mode);
/// c[m, n] = alpha a[m, k] b[k, n] + beta c, column by column, `count` times; the next a stands `stride_of_a` later.
using GemmStridedBatchedEx = Status(Handle handle, Operation of_a, Operation of_b, int m, int n, int k,
                                    const void* alpha, const void* a, DataType type_of_a, int lda,
                                    long long stride_of_a, const void* b, DataType type_of_b, int ldb,
                                    long long stride_of_b, const void* beta, void* c, DataType type_of_c, int ldc,
                                    long long stride_of_c, int count, ComputeType compute, Algorithm algorithm);

}  // namespace zerocts::engine::cublas
