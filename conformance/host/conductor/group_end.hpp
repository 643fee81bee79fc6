// What groups leave outside of their cases: how they ended, and what their ranks said of themselves.
#pragma once
#include <compare>
#include <exception>
#include <string>
#include <utility>

#include "conformance/cases/case/observation.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {

/// What went wrong with a group before its first case, or after its last.
struct GroupEnd {
  LauncherKind launcher = LauncherKind::kLocal;
  int world_size = 1;
  RunResult result;
};

/// What a rank says of itself with its hello and is no failure: "loading the plugin changed MXCSR ..; it was restored".
struct GroupNote {
  LauncherKind launcher = LauncherKind::kLocal;
  int world_size = 1;
  int rank = 0;
  std::string text;

  auto operator<=>(const GroupNote&) const = default;
};

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
