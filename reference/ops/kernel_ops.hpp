// Operations on host memory, composed of the kernels of one instruction set and shared among threads.
#pragma once
#include <memory>

#include "reference/ops/kernel_table.hpp"

namespace zerocts {

std::unique_ptr<Ops> MakeKernelOps(const KernelTable& kernels, int threads);

}  // namespace zerocts
