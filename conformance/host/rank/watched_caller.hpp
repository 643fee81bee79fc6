// Calls of a subject after each of which the memory that the host gave is looked at.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "conformance/host/memory/host_memory.hpp"
#include "conformance/host/rank/subject_caller.hpp"

namespace zerocts {

class WatchedCaller {
 public:
  /// Both outlive it.
  WatchedCaller(SubjectCaller& caller, HostMemory& memory) : caller_(caller), memory_(memory) {}

  /// As of SubjectCaller, which stands at `step` from here on.
  template <typename... Arguments>
  void Call(int64_t step, const char* name, Arguments&&... arguments) {
    caller_.StandAt(step);
    try {
      caller_.Call(name, std::forward<Arguments>(arguments)...);
    } catch (const Refusal&) {
      LookAtMemory();
      throw;
    }
    LookAtMemory();
  }

  /// Breaches are found in what the subject did since the last look.
  void LookAtMemory() {
    for (const std::string& breach : memory_.TakeBreaches()) Broke(breach);
  }
  void Broke(const std::string& what) { caller_.Broke(what); }

 private:
  SubjectCaller& caller_;
  HostMemory& memory_;
};

}  // namespace zerocts
