#include "bench/compare/verdict.hpp"

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/host/system/exit_codes.hpp"

namespace zerocts {

std::string ToString(ComparisonVerdict verdict) {
  switch (verdict) {
    case ComparisonVerdict::kSame: return "same";
    case ComparisonVerdict::kFaster: return "faster";
    case ComparisonVerdict::kRegression: return "REGRESSION";
    case ComparisonVerdict::kTooNoisy: return "too noisy";
    case ComparisonVerdict::kDifferent: return "DIFFERENT";
    case ComparisonVerdict::kNotPaired: return "not paired";
    case ComparisonVerdict::kNew: return "new";
  }
  return "";
}

ComparisonVerdict VerdictOf(const RatioEstimate& cost, double least_effect) {
  const auto& [low, high] = cost.interval;
  if (low > 1 && cost.ratio >= 1 + least_effect) return ComparisonVerdict::kRegression;
  if (high - low > 2 * least_effect) return ComparisonVerdict::kTooNoisy;
  if (high < 1 && cost.ratio <= 1 / (1 + least_effect)) return ComparisonVerdict::kFaster;
  return ComparisonVerdict::kSame;
}

bool IsDecided(const RatioEstimate& cost, double least_effect) {
  const auto& [low, high] = cost.interval;
  return high - low <= least_effect || (high - low <= 2 * least_effect && high < 1 + least_effect);
}

int ExitCodeOf(const std::vector<ComparisonVerdict>& verdicts) {
  const auto any = [&](ComparisonVerdict verdict) { return Contains(verdicts, verdict); };
  if (any(ComparisonVerdict::kRegression) || any(ComparisonVerdict::kDifferent)) return kExitNotConformant;
  const bool is_judged = any(ComparisonVerdict::kSame) || any(ComparisonVerdict::kFaster);
  return any(ComparisonVerdict::kTooNoisy) || !is_judged ? kExitTooFew : kExitConformant;
}

}  // namespace zerocts
