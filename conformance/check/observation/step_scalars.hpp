// The numbers that a rank tells of a step, one after the other, and steps that not all ranks skipped.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"

namespace zerocts {

struct NamedScalar {
  Phase phase;
  std::string name;
  float value;
};

/// In the order in which they are compared: loss_scale, skipped (0 or 1), grad_norm, clip_coefficient. A step that was
/// skipped has no coefficient.
std::vector<NamedScalar> ScalarsOf(const StepScalars& step);

/// "step 3 was skipped by rank 1 and taken by ranks 0, 2"; "" when all ranks did the same.
std::string SkippedBySome(const std::vector<RankObservation>& ranks, int64_t step);

}  // namespace zerocts
