// How a group ended outside of its cases.
#pragma once
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"

namespace zerocts {

/// What went wrong with a group before its first case, or after its last.
struct GroupEnd {
  LauncherKind launcher = LauncherKind::kLocal;
  int world_size = 1;
  RunResult result;
};

}  // namespace zerocts
