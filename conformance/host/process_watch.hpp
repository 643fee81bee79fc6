// Is a process that is not our child still there?
#pragma once
#include <sys/types.h>

namespace zerocts {

class ProcessWatch {
 public:
  explicit ProcessWatch(pid_t pid);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;
  /// It has ended, reaped or not.
  bool Gone() const;

 private:
  pid_t pid_;
  int descriptor_;  // pidfd; -1 where the kernel has none
};

}  // namespace zerocts
