#include "conformance/cases/inputs/exact_mean.hpp"

#include <bit>
#include <cmath>

namespace zerocts {
namespace {

/// Gradients that are not zero come from one micro-batch per name.
bool HasOppositeSigns(const Experiment& e) { return e.gradients == GradientSource::kOneHot && !e.roles.tied.empty(); }

/// Then 1 / W is not what the gradients of experts were multiplied by to make their mean whole.
bool DividesByOthers(const Experiment& e) { return e.experts.divisor == ExpertDivisor::kGroup; }

bool KeepsMeanOver(const Case& c, int world_size) {
  const Experiment& e = c.experiment;
  return DividesExactly(world_size) || (KeepsIntegerMeans(world_size) && !HasOppositeSigns(e) && !DividesByOthers(e));
}

}  // namespace

bool DividesExactly(int world_size) { return std::has_single_bit(static_cast<unsigned>(world_size)); }

bool KeepsIntegerMeans(int world_size) {
  const double one = world_size * double{1.0f / static_cast<float>(world_size)};
  return std::abs(one - 1) <= 0x1p-25;
}

bool HasExactMean(const Case& c) {
  if (!IsExact(c.experiment) || c.experiment.gradients == GradientSource::kZero) return true;
  const int others = c.checkpoint ? c.checkpoint->other_world_size : 0;
  return KeepsMeanOver(c, c.world_size()) && (others == 0 || KeepsMeanOver(c, others));
}

bool RoundsTheMean(const Capabilities& can, const Case& c) { return can.inexact_mean && !HasExactMean(c); }

}  // namespace zerocts
