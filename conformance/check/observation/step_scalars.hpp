// The numbers that a rank tells of a step, one after the other, and steps that not all ranks skipped.
#pragma once
#include <fmt/format.h>

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
inline std::vector<NamedScalar> ScalarsOf(const StepScalars& step) {
  std::vector<NamedScalar> scalars = {{Phase::kMicroBatch, "loss_scale", step.loss_scale},
                                      {Phase::kNorm, "skipped", step.skipped ? 1.0f : 0.0f},
                                      {Phase::kNorm, "grad_norm", step.grad_norm}};
  if (!step.skipped) scalars.push_back({Phase::kNorm, "clip_coefficient", step.clip_coefficient});
  return scalars;
}

/// "step 3 was skipped by rank 1 and taken by ranks 0, 2"; "" when all ranks did the same.
inline std::string SkippedBySome(const std::vector<RankObservation>& ranks, int64_t step) {
  std::vector<int> skipped, taken;
  for (const RankObservation& rank : ranks) {
    for (const StepScalars& scalars : rank.scalars) {
      if (scalars.step == step) (scalars.skipped ? skipped : taken).push_back(rank.rank);
    }
  }
  if (skipped.empty() || taken.empty()) return "";
  const auto listed = [](const std::vector<int>& numbers) {
    return fmt::format("rank{} {}", numbers.size() == 1 ? "" : "s", fmt::join(numbers, ", "));
  };
  return fmt::format("step {} was skipped by {} and taken by {}", step, listed(skipped), listed(taken));
}

}  // namespace zerocts
