// Which of the cores of this machine a rank keeps to, where ranks are not to change places while they are timed.
#pragma once
#include <sys/types.h>

#include <vector>

namespace zerocts {

/// The rank's equal part, in a row, of the cores that this process may use: 5 cores, 2 ranks: {0, 1} and {2, 3}. Empty:
/// there are fewer cores than ranks.
std::vector<int> ShareOfCores(const std::vector<int>& cores, int rank, int world_size);

/// The cores on which a thread may run, by its number; 0: this one.
std::vector<int> AllowedCores(pid_t thread = 0);

/// This thread, and all threads and processes that it starts from now on. Without a share it stays as free as it was.
void KeepToShareOfCores(int rank, int world_size);

}  // namespace zerocts
