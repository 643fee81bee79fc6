// What the clauses of checkpoints leave to C-ZERO-083, so that what goes wrong with it is one finding and not one of
// each.
#pragma once
#include "conformance/cases/dimensions/group_values.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {

inline bool HasNoEmptyGroup(const Case& c) { return !HasEmptyGroup(c.experiment); }

/// State that only comes into being when a hyper-parameter changes: SGD's momentum is in every group from the first
/// step on, or nowhere.
inline void GiveMomentumToAllOrNone(Experiment& experiment) {
  const float momentum = experiment.groups.front().momentum;
  ForEachHyperParameters(experiment, [momentum](HyperParameters& h) {
    if (momentum == 0 || h.momentum == 0) h.momentum = momentum;
    if (momentum > 0) return;
    h.dampening = 0;
    h.nesterov = false;
  });
}

}  // namespace zerocts
