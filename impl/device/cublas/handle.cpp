#include "impl/device/cublas/handle.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

namespace zerocts::engine {
namespace {

int Size(int64_t numel) {
  if (numel <= std::numeric_limits<int>::max()) return static_cast<int>(numel);
  throw std::length_error(
      fmt::format("device cuda, math=fast: a matrix of {} rows or columns: expected at most 2^31 - 1", numel));
}

}  // namespace

CublasHandle::CublasHandle(const CublasLibrary& library, cublas::Stream stream, void* workspace) : library_(library) {
  library_.Require(library_.Create(&handle_), "cublasCreate");
  try {
    library_.Require(library_.SetStream(handle_, stream), "cublasSetStream");
    library_.Require(library_.SetWorkspace(handle_, workspace, kWorkspaceBytes),
                     "cublasSetWorkspace");  // after the stream, which unsets it
    library_.Require(library_.SetMathMode(handle_, cublas::kDefaultMath), "cublasSetMathMode");
    library_.Require(library_.SetAtomicsMode(handle_, cublas::kWithoutAtomics), "cublasSetAtomicsMode");
  } catch (...) {
    library_.Destroy(handle_);
    throw;
  }
}

CublasHandle::~CublasHandle() { library_.Destroy(handle_); }

void CublasHandle::Gemm(const Result& c, const Operand& a, const Operand& b, cublas::DataType type,
                        cublas::ComputeType compute, int64_t m, int64_t n, int64_t k, int64_t count, Sum sum) const {
  const float one = 1.0f, of_c = sum == kAdded ? 1.0f : 0.0f;
  library_.Require(
      library_.GemmStridedBatchedEx(handle_, a.operation, b.operation, Size(m), Size(n), Size(k), &one, a.values, type,
                                    Size(a.stride), a.step, b.values, type, Size(b.stride), b.step, &of_c, c.values,
                                    cublas::kFp32, Size(c.stride), c.step, Size(count), compute, cublas::kHeuristic),
      "cublasGemmStridedBatchedEx");
}

}  // namespace zerocts::engine
