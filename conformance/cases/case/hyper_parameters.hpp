// All hyper-parameters of an experiment: what its groups begin with, and every later change.
#pragma once
#include "reference/experiment/experiment.hpp"

namespace zerocts {

template <typename Change>
void ForEachHyperParameters(Experiment& experiment, Change change) {
  for (HyperParameters& group : experiment.groups) change(group);
  for (HyperParameterChange& later : experiment.changes) change(later.values);
}

}  // namespace zerocts
