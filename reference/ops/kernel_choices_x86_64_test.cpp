// Which tables a CPU is offered.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

bool IsOffered(const char* name) {
  const std::vector<std::string> names = HostKernelNames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(KernelChoices, EachTableIsOfferedToCpusThatHaveItsInstructions) {
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  EXPECT_EQ(IsOffered("x86-64-v3"), v3);
  EXPECT_EQ(IsOffered("x86-64-v4"), v4);
  // Not, if the CPU adds the two products of a pair otherwise than an fma chain: none is known that does.
  EXPECT_EQ(IsOffered("x86-64-v4-bf16"), v4 && __builtin_cpu_supports("avx512bf16"));
}

}  // namespace
}  // namespace zerocts
