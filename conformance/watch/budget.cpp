#include "conformance/watch/budget.hpp"

#include <algorithm>
#include <cmath>

namespace zerocts::watch {

std::optional<Budget::Change> Budget::Take(const StepRecord& step) {
  if (step.at.optimizer != 0 || step.at.step < valid_from_ || step.total <= step.spent) return std::nullopt;
  std::vector<double>& ranks = shares_[step.at.step];
  ranks.push_back(step.spent / (step.total - step.spent));
  if (ranks.size() < static_cast<size_t>(step.from.world)) return std::nullopt;
  worst_.push_back(*std::ranges::max_element(ranks));
  shares_.erase(shares_.begin(), shares_.upper_bound(step.at.step));
  if (worst_.size() < kMeasured) return std::nullopt;
  std::ranges::sort(worst_);
  const double share = worst_[kMeasured / 2];
  worst_.clear();
  const auto wanted =
      std::max(int64_t{1}, static_cast<int64_t>(std::ceil(static_cast<double>(every_) * share / kShare)));
  const double ratio = static_cast<double>(wanted) / static_cast<double>(every_);
  if (ratio < kWorthIt && ratio > 1 / (2 * kWorthIt)) return std::nullopt;
  every_ = wanted;
  valid_from_ = step.at.step + kAhead + every_ + 1;
  return Change{every_, step.at.step + kAhead};
}

}  // namespace zerocts::watch
