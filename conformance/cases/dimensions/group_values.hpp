// Groups, and their hyper-parameters as the steps of a case have them.
#pragma once
#include <algorithm>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// Has it a group without parameters?
bool HasEmptyGroup(const Experiment& experiment);

/// Does `holds(hyper_parameters)` of any group at any step?
template <typename Holds>
bool AnyGroupAtAnyStep(const Experiment& e, Holds holds) {
  for (int64_t step = 0; step < e.steps; ++step) {
    if (std::ranges::any_of(GroupsAtStep(e, step), holds)) return true;
  }
  return false;
}

}  // namespace zerocts
