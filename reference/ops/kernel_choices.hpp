// Which kernel tables this build has and this CPU runs. One file per kind of CPU.
#pragma once
#include <vector>

#include "reference/ops/kernel_table.hpp"

namespace zerocts {

/// Slowest first; never empty.
std::vector<const KernelTable*> RunnableKernels();

}  // namespace zerocts
