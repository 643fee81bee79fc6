// The two kinds of error that stop a command.
#pragma once
#include <stdexcept>

namespace zerocts {

/// A failure of the harness itself, never of a subject: exit code 3, never a failed property.
struct HarnessError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Bad input by the user: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace zerocts
