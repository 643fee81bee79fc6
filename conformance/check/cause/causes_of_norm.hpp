// Which elements did a wrong norm count? Part of no verdict.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"
#include "reference/experiment/experiment.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {

/// Names each choice of elements of the mean gradient whose norm is `got`.
std::vector<std::string> CausesOfNorm(const Experiment& experiment, const StepTrace& right,
                                      const std::vector<RankObservation>& ranks, float got);

}  // namespace zerocts
