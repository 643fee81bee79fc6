// How long threads that could run waited for a core, as the kernel counts it.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <set>
#include <unordered_map>

namespace zerocts {

class CoreWaits {
 public:
  /// The longest wait since the last call, of the calling thread and of all threads of these processes that were there
  /// then; 0 where the kernel counts none.
  std::chrono::nanoseconds LongestOf(const std::set<pid_t>& processes);

 private:
  std::unordered_map<pid_t, int64_t> waited_;  // nanoseconds by thread
};

}  // namespace zerocts
