// How units draw their parameters.
#pragma once
#include <cmath>

#include "reference/model/model_spec.hpp"

namespace zerocts {

/// A matrix [.., fan_in]: bound 1 / sqrt(fan_in).
inline InitialRange MatrixRange(int64_t fan_in) { return {0.0f, 1.0f / std::sqrt(static_cast<float>(fan_in))}; }
/// The same for every element.
inline InitialRange Constant(float value) { return {value, 0.0f}; }

}  // namespace zerocts
