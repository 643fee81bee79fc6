// A process whose number came from elsewhere, and that was proven to descend from this one. Nothing else is ever killed by number.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/host/rendezvous.hpp"

namespace zerocts {

/// A process held by a descriptor, so that its number cannot come to mean another one.
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

 private:
  pid_t pid_;
  int descriptor_;  // pidfd; -1: there is no such process
};

class DescendantProcess {
 public:
  /// Nothing for this process itself, for init, for a stranger, and for a number of another host or PID namespace.
  static std::optional<DescendantProcess> Prove(int64_t pid);

  pid_t pid() const { return process_.pid(); }
  /// It has ended, reaped or not.
  bool Gone() const;
  void Kill() const;
  /// Takes note of its end when it is, by now, a child of this process.
  void Reap() const;

 private:
  explicit DescendantProcess(HeldProcess process) : process_(std::move(process)) {}
  HeldProcess process_;
};

/// Kills the descendants of this process for which `doomed` holds, until none is left that was not killed; returns those.
std::vector<DescendantProcess> KillDescendants(const std::function<bool(pid_t)>& doomed, SteadyTime until);

}  // namespace zerocts
