// The norm of the mean gradient, as far as it is known without training.
#pragma once
#include <vector>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// Global norm of the mean gradient before clipping, by step. Gradients that are given depend on no parameter: [steps],
/// added in rank order (exact sources: every order has these bits; kUniform: another order may differ in the last
/// place). kModel: [1], the first step, at the initial parameters. Throws std::runtime_error when the text cannot be
/// read.
std::vector<float> KnownGradientNorms(const Experiment& experiment);

}  // namespace zerocts
