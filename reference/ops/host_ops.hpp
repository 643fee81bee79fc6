// Host operations and their kernel tables: one kernel file per instruction set, chosen at run time.
#pragma once
#include <string>
#include <vector>

#include "reference/ops/ops.hpp"

namespace zerocts {

/// Instruction sets that this build has and this CPU runs, slowest first: "portable", "x86-64-v3", "x86-64-v4".
std::vector<std::string> HostKernelNames();

/// Host operations on named kernels, for tests that compare instruction sets. Throws std::invalid_argument naming the
/// choices.
Ops& HostOpsWith(const std::string& kernel_name);

/// What HostOps() chose; ZEROCTS_KERNELS=NAME overrides it.
std::string ChosenHostKernels();

}  // namespace zerocts
