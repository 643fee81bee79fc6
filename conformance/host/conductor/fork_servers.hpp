// Processes that have imported a framework and fork ranks from there: a run then imports twice, not once per rank.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/launchers/child_process.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

class ForkServers {
 public:
  explicit ForkServers(const HostSettings& settings) : settings_(settings) {}

  /// Starts them for a framework's adapter and waits until they can fork. Returns the subject with a command that asks
  /// them for a rank; the subject as it is where ranks must start by themselves: it is no framework's, it works on a
  /// GPU, which survives no fork, or a server ended instead, so that a rank which starts by itself shows why. Throws
  /// StartEnded when they hang.
  SubjectSpec Serving(const SubjectSpec& subject);

 private:
  bool AwaitSockets();
  std::string States() const;  // of their processes
  [[noreturn]] void ThrowHang(const std::string& stretch) const;

  const HostSettings settings_;
  std::vector<std::string> sockets_;
  std::vector<std::unique_ptr<ChildProcess>> servers_;
};

}  // namespace zerocts
