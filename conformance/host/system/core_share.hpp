// Which of the cores of this machine a rank keeps to, where ranks are not to change places while they are timed.
#pragma once
#include <sched.h>
#include <sys/types.h>

#include <vector>

namespace zerocts {

/// The rank's equal part, in a row, of the cores that this process may use: 5 cores, 2 ranks: {0, 1} and {2, 3}. Empty:
/// there are fewer cores than ranks.
inline std::vector<int> ShareOfCores(const std::vector<int>& cores, int rank, int world_size) {
  const auto each = static_cast<std::ptrdiff_t>(cores.size()) / world_size;
  const auto begin = cores.begin() + rank * each;
  return {begin, begin + each};
}

/// The cores on which a thread may run, by its number; 0: this one.
inline std::vector<int> AllowedCores(pid_t thread = 0) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(thread, sizeof(allowed), &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  return cores;
}

/// This thread, and all threads and processes that it starts from now on. Without a share it stays as free as it was.
inline void KeepToShareOfCores(int rank, int world_size) {
  cpu_set_t share;
  CPU_ZERO(&share);
  const std::vector<int> cores = ShareOfCores(AllowedCores(), rank, world_size);
  for (const int core : cores) CPU_SET(core, &share);
  if (!cores.empty()) sched_setaffinity(0, sizeof(share), &share);
}

}  // namespace zerocts
