// Where a clause's cases run.
#pragma once
#include <string>

#include "conformance/host/launchers/launcher_kind.hpp"
#include "reference/experiment/experiment.hpp"

namespace zerocts {

struct Stratum {
  LauncherKind launcher;
  int world_size;
  Precision precision;
};
std::string ToString(const Stratum& s);  // "threads W=3 bf16"

}  // namespace zerocts
