// What `zerocts bench compare` says of one figure, and what it ends with.
#pragma once
#include <string>
#include <vector>

#include "bench/timing/statistics.hpp"

namespace zerocts {

enum class ComparisonVerdict {
  kSame,        // no change of the least effect that counts
  kFaster,      // better by at least that
  kRegression,  // worse by at least that
  kTooNoisy,    // the interval is wider than that on each side: it may be either
  kDifferent,   // bytes or counts that are not equal, or gone in the second
  kNotPaired,   // times of two runs, between which the machine may have changed
  kNew,         // only the second has it
};
std::string ToString(ComparisonVerdict verdict);  // "same", "REGRESSION", "too noisy", ..

/// `cost` is of the second to the first, where more is worse. A regression is an interval above 1 and a ratio of at
/// least 1 + least_effect.
ComparisonVerdict VerdictOf(const RatioEstimate& cost, double least_effect);
/// Is no further pair needed? The interval is narrow enough to find an effect of this size nine times of ten, or it has
/// no regression of this size in it. To end early is thus to say that nothing is slower, never that something is.
bool IsDecided(const RatioEstimate& cost, double least_effect);

/// 1 where there is a regression or a difference, else 6 where something is too noisy or nothing was judged, else 0.
int ExitCodeOf(const std::vector<ComparisonVerdict>& verdicts);

}  // namespace zerocts
