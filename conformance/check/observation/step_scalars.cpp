#include "conformance/check/observation/step_scalars.hpp"

#include <fmt/format.h>

namespace zerocts {

std::vector<NamedScalar> ScalarsOf(const StepScalars& step) {
  std::vector<NamedScalar> scalars = {{Phase::kMicroBatch, "loss_scale", step.loss_scale},
                                      {Phase::kNorm, "skipped", step.skipped ? 1.0f : 0.0f},
                                      {Phase::kNorm, "grad_norm", step.grad_norm}};
  if (!step.skipped) scalars.push_back({Phase::kNorm, "clip_coefficient", step.clip_coefficient});
  return scalars;
}

std::string SkippedBySome(const std::vector<RankObservation>& ranks, int64_t step) {
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
