// How large the numbers of an experiment are, told from its fields alone.
#pragma once
#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// Some initial values, given gradients, gradients of a model, second moments, learning rates or weight decays are
/// subnormal.
bool HasSubnormals(const Experiment& experiment);
/// Some are near the largest numbers.
bool HasHugeValues(const Experiment& experiment);
/// Nothing of both: squares and quotients of its numbers neither vanish nor overflow.
bool IsPlain(const Experiment& experiment);

}  // namespace zerocts
