// A process held by a descriptor, so that its number cannot come to mean another one. It need not be our child.
#pragma once
#include <sys/types.h>

namespace zerocts {

class HeldProcess {
 public:
  explicit HeldProcess(pid_t pid);
  ~HeldProcess();
  HeldProcess(HeldProcess&& other) noexcept;
  HeldProcess& operator=(HeldProcess&& other) noexcept;

  pid_t pid() const { return pid_; }
  int descriptor() const { return descriptor_; }
  /// Not reaped yet, so the number is its own.
  bool Exists() const;
  /// It has ended, reaped or not.
  bool Gone() const;
  /// By the descriptor; nothing where there is none.
  void Signal(int signal_number) const;

 private:
  pid_t pid_;
  int descriptor_;  // pidfd; -1: there is no such process, or the kernel has none
};

}  // namespace zerocts
