#include "conformance/host/system/held_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace zerocts {

namespace {

int SignalTo(int descriptor, int signal_number) {
  return static_cast<int>(syscall(SYS_pidfd_send_signal, descriptor, signal_number, nullptr, 0));
}

}  // namespace

HeldProcess::HeldProcess(pid_t pid) : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}

HeldProcess::~HeldProcess() {
  if (descriptor_ >= 0) close(descriptor_);
}

HeldProcess::HeldProcess(HeldProcess&& other) noexcept
    : pid_(other.pid_), descriptor_(std::exchange(other.descriptor_, -1)) {}

HeldProcess& HeldProcess::operator=(HeldProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool HeldProcess::Exists() const { return descriptor_ >= 0 && (SignalTo(descriptor_, 0) == 0 || errno == EPERM); }

bool HeldProcess::Gone() const {
  if (descriptor_ < 0) return kill(pid_, 0) != 0 && errno == ESRCH;
  pollfd ended{descriptor_, POLLIN, 0};
  return poll(&ended, 1, 0) > 0;
}

void HeldProcess::Signal(int signal_number) const {
  if (descriptor_ >= 0) SignalTo(descriptor_, signal_number);
}

}  // namespace zerocts
