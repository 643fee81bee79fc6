// Parameters with a state of their own: neither buffers nor names that are tied to others.
#pragma once
#include "conformance/cases/draws/drawing.hpp"

namespace zerocts {

/// One of them, -1 when there is none.
inline int DrawOwner(Drawing& drawing) {
  std::vector<int> owners;
  for (int p = 0; p < drawing.parameters(); ++p) {
    if (drawing.e.roles.HasState(p)) owners.push_back(p);
  }
  return owners.empty() ? -1 : drawing.draws.Pick(owners);
}

/// Does `holds(owner, step)` at any step?
template <typename Holds>
bool AnyOwnerAtAnyStep(const Experiment& e, Holds holds) {
  for (int64_t step = 0; step < e.steps; ++step) {
    for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
      if (e.roles.HasState(p) && holds(p, step)) return true;
    }
  }
  return false;
}

}  // namespace zerocts
