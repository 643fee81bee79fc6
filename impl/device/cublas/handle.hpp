// A handle of cuBLAS that gives the same bits in every run: on one stream, with memory of its own, without atomics. So
// much the library promises, for one version and one kind of GPU; that operands stand alike in every run is its user's
// part.
#pragma once
#include <cstddef>

#include "impl/device/cublas/library.hpp"

namespace zerocts::engine {

class CublasHandle {
 public:
  static constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // what the library itself takes on the GPUs of today
  static constexpr int64_t kAlignment = 256;  // of what matrices are cut from: the choice of a kernel may hang on it

  /// `workspace` has kWorkspaceBytes and outlives the handle.
  CublasHandle(const CublasLibrary& library, cublas::Stream stream, void* workspace);
  ~CublasHandle();
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  struct Operand {
    const void* values;
    cublas::Operation operation;
    int64_t stride;    // from column to column
    int64_t step = 0;  // from one product's to the next one's
  };
  struct Result {
    float* values;
    int64_t stride, step = 0;
  };
  enum Sum { kWritten, kAdded };
  /// c[m, n] = a[m, k] b[k, n], or added to c, all of them column by column, `count` times; a and b hold `type`, c
  /// fp32, and sums are in fp32. Throws std::length_error for sizes above 2^31 - 1.
  void Gemm(const Result& c, const Operand& a, const Operand& b, cublas::DataType type, cublas::ComputeType compute,
            int64_t m, int64_t n, int64_t k, int64_t count = 1, Sum sum = kWritten) const;

 private:
  const CublasLibrary& library_;
  cublas::Handle handle_ = nullptr;
};

}  // namespace zerocts::engine
