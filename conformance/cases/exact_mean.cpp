#include "conformance/cases/exact_mean.hpp"

#include <bit>

namespace zerocts {
namespace {

bool IsOfOneAddend(const Experiment& e) { return e.gradients != GradientSource::kIndexCoded && e.roles.tied.empty(); }

bool MeetsRoundedReciprocal(const Case& c) {
  const int others = c.checkpoint ? c.checkpoint->other_world_size : 0;
  return IsRoundedReciprocal(c.world_size()) || (others > 0 && IsRoundedReciprocal(others));
}

}  // namespace

bool IsRoundedReciprocal(int world_size) { return !std::has_single_bit(static_cast<unsigned>(world_size)); }

bool HasExactMean(const Case& c) {
  return !IsExact(c.experiment) || IsOfOneAddend(c.experiment) || !MeetsRoundedReciprocal(c);
}

}  // namespace zerocts
