// The exact sum of squares by the kernels of one instruction set: the same integer as SumOfSquares::Add, sooner.
#pragma once
#include "reference/ops/kernel_table.hpp"

namespace zerocts {

void AddSquares(const KernelTable& kernels, SumOfSquares* accumulator, const float* in, int64_t numel);

}  // namespace zerocts
