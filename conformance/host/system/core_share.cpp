#include "conformance/host/system/core_share.hpp"

#include <sched.h>

namespace zerocts {

std::vector<int> ShareOfCores(const std::vector<int>& cores, int rank, int world_size) {
  const auto each = static_cast<std::ptrdiff_t>(cores.size()) / world_size;
  const auto begin = cores.begin() + rank * each;
  return {begin, begin + each};
}

std::vector<int> AllowedCores(pid_t thread) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(thread, sizeof(allowed), &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  return cores;
}

void KeepToShareOfCores(int rank, int world_size) {
  cpu_set_t share;
  CPU_ZERO(&share);
  const std::vector<int> cores = ShareOfCores(AllowedCores(), rank, world_size);
  for (const int core : cores) CPU_SET(core, &share);
  if (!cores.empty()) sched_setaffinity(0, sizeof(share), &share);
}

}  // namespace zerocts
