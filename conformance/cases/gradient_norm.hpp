// The norm of the mean gradient, as far as it is known without training.
#pragma once
#include <vector>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// Global norm of the mean gradient before clipping, by step. Gradients of a linear loss depend on no parameter:
/// [steps], added in fp32 in rank order (exact experiments: every order has these bits; others may differ in the last
/// places), by the norm that the experiment clips by; NaN where a gradient is not finite. Loss scales are left out. A
/// model or a curvature: [1], the first step, at the initial parameters. Throws std::runtime_error when the text cannot
/// be read.
std::vector<float> KnownGradientNorms(const Experiment& experiment);

}  // namespace zerocts
