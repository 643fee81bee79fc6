// What cannot be judged at all.
#pragma once
#include <string>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

inline constexpr int kMostRanks = 1 << 24;  // of a mesh that is judged

/// "" or one sentence: sizes are negative or overflow, an axis is unknown, a piece's strides do not fit its shape, ...
std::string Problem(const Plan& plan);

}  // namespace zerocts::plan
