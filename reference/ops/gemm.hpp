// Matrix products of any size, composed of the tiles of one instruction set.
#pragma once
#include "reference/ops/kernel_table.hpp"
#include "reference/ops/threads.hpp"

namespace zerocts {

/// Element (i, j) stands at values[i * row_stride + j * column_stride]; one of the strides is 1.
struct Strided {
  const float* values;
  int64_t row_stride, column_stride;
};

/// c[M, N] = a[M, K] b[K, N], each output one fma chain in k order from +0, whatever the threads and the kernels.
void Gemm(const KernelTable& kernels, Threads& threads, Matrix c, Strided a, Strided b, int64_t M, int64_t N, int64_t K,
          Operands operands);

}  // namespace zerocts
