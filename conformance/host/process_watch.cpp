#include "conformance/host/process_watch.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace zerocts {

ProcessWatch::ProcessWatch(pid_t pid) : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}

ProcessWatch::~ProcessWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ProcessWatch::Gone() const {
  if (descriptor_ < 0) return kill(pid_, 0) != 0 && errno == ESRCH;
  pollfd ended{descriptor_, POLLIN, 0};
  return poll(&ended, 1, 0) > 0;
}

}  // namespace zerocts
