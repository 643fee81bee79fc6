// Host operations and their kernel tables: one kernel file per instruction set, chosen at run time.
#pragma once
#include <string>
#include <vector>

#include "reference/ops/ops.hpp"

namespace zerocts {

/// Instruction sets that this build has and this CPU runs, slowest first: "portable", "x86-64-v3", "x86-64-v4",
/// "x86-64-v4-bf16" (before x86-64-v4 where pairs of bf16 are slow).
std::vector<std::string> HostKernelNames();

/// Host operations on named kernels and `threads` threads, for tests that compare them. Throws std::invalid_argument
/// naming the choices.
Ops& HostOpsWith(const std::string& kernel_name, int threads = 1);

/// What HostOps() chose; ZEROCTS_KERNELS=NAME overrides it.
std::string ChosenHostKernels();

inline constexpr int kMostHostThreads = 256;

/// How many threads an operation of HostOps() may use: ZEROCTS_THREADS, or 1, because ranks are many.
int ChosenHostThreads();

}  // namespace zerocts
