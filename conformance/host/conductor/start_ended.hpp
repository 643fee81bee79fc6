// Ranks that never came up: whose doing that was.
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {

/// The ranks did not say hello, and that is their doing: a verdict, as the end of a case is one.
struct StartEnded : std::exception {
  StartEnded(GroupEnd e, const std::string& output)
      : end(std::move(e)),
        sentence(output.empty() ? end.result.message : end.result.message + "; output ends: " + output) {}
  const char* what() const noexcept override { return sentence.c_str(); }

  GroupEnd end;
  std::string sentence;  // with the end of what was written
};

/// What was named as a subject is none or cannot be started: no plugin, another version, no such command.
struct NotASubject : HarnessError {
  using HarnessError::HarnessError;
};

}  // namespace zerocts
