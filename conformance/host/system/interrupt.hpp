// Ctrl-C and SIGTERM, heard by a run that then ends in order.
#pragma once
#include <signal.h>

#include <string>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

/// Ends a wait for ranks.
struct Interrupted : HarnessError {
  using HarnessError::HarnessError;
};

/// While this lives, the first SIGINT and the first SIGTERM are only noted; a second of them ends the program. A signal
/// that was ignored stays so.
class NotedInterrupts {
 public:
  NotedInterrupts();
  ~NotedInterrupts();
  NotedInterrupts(const NotedInterrupts&) = delete;
  NotedInterrupts& operator=(const NotedInterrupts&) = delete;

 private:
  struct sigaction before_[2];
};

/// "SIGINT"; "" where none was noted. Any thread may ask.
std::string InterruptedBy();

/// Throws Interrupted once a signal was noted.
void ThrowIfInterrupted();

}  // namespace zerocts
