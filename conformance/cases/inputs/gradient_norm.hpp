// The norm of the mean gradient, as far as it is known without training.
#pragma once
#include <cstdint>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// All where gradients depend on no parameter (a linear loss); else the first, at the initial parameters.
int64_t StepsOfKnownNorm(const Experiment& experiment);

/// Global norm of the mean gradient of one of them before clipping, added in fp32 in rank order (exact experiments:
/// every order has these bits; others may differ in the last places), by the norm that the experiment clips by; NaN
/// where a gradient is not finite. Loss scales are left out. Throws std::runtime_error when the text cannot be read.
float KnownGradientNorm(const Experiment& experiment, int64_t step = 0);

}  // namespace zerocts
