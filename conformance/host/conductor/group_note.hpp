// What a rank says of itself with its hello and is no failure.
#pragma once
#include <compare>
#include <string>

#include "conformance/host/launchers/launcher_kind.hpp"

namespace zerocts {

/// "loading the plugin changed MXCSR ..; it was restored"
struct GroupNote {
  LauncherKind launcher = LauncherKind::kLocal;
  int world_size = 1;
  int rank = 0;
  std::string text;

  auto operator<=>(const GroupNote&) const = default;
};

}  // namespace zerocts
