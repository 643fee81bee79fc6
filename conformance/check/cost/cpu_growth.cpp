#include "conformance/check/cost/cpu_growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace zerocts {
namespace {

struct SlopeInterval {
  double low = 0, middle = 0, high = 0;
};

/// Sen's slope of a line through figures of which some are far off: the median of the slopes between all pairs, with
/// the interval of 99 % that follows from Kendall's test. Expects ten values at least.
SlopeInterval SenSlope(const std::vector<double>& values) {
  constexpr double kNormalQuantile = 2.576;
  std::vector<double> slopes;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i + 1; j < values.size(); ++j)
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  }
  std::ranges::sort(slopes);
  const auto n = static_cast<double>(values.size());
  const double half = kNormalQuantile * std::sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2;
  const auto at = [&](double place) {
    return slopes[static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(slopes.size() - 1)))];
  };
  const double middle = static_cast<double>(slopes.size()) / 2;
  return {at(std::floor(middle - half)), at(middle), at(std::ceil(middle + half))};
}

constexpr int64_t kStepsOfAMinimum = 10;
constexpr double kMostGrowth = 0.5;

/// The cheapest of each ten steady steps; none: the rank does not tell the time of each.
std::vector<double> CheapestSteps(const RankObservation& rank, int64_t steps) {
  const std::vector<double> of_step = CpuOfSteps(rank, steps);
  std::vector<double> cheapest;
  if (of_step.empty()) return cheapest;
  for (int64_t begin = FirstSteadyStep(steps); begin + kStepsOfAMinimum <= steps; begin += kStepsOfAMinimum)
    cheapest.push_back(*std::min_element(of_step.begin() + begin, of_step.begin() + begin + kStepsOfAMinimum));
  return cheapest;
}

/// How much more a step takes at the end, as a share of what it took at first.
struct StepGrowth {
  SlopeInterval slope;  // of a minimum
  double low = 0, high = 0;

  explicit StepGrowth(const std::vector<double>& costs) : slope(SenSlope(costs)) {
    const double first = *std::min_element(costs.begin(), costs.begin() + std::ssize(costs) / 3);
    const double rises = static_cast<double>(costs.size() - 1);
    low = slope.low * rises / first;
    high = slope.high * rises / first;
  }
  CostGrowth::Is is() const {
    if (low > kMostGrowth) return CostGrowth::Is::kGrowing;
    return high > kMostGrowth ? CostGrowth::Is::kNotMeasured : CostGrowth::Is::kSteady;
  }
};

/// "grows by 3 us per step from step 50 on (2 to 4 at 99 %), from 100 to 550 us after step 199".
std::string GrowthText(const StepGrowth& growth, const std::vector<double>& costs, int64_t steps) {
  const auto us_of_step = [](double slope) { return slope / kStepsOfAMinimum / 1e3; };
  return fmt::format(
      "grows by {:.3g} us per step from step {} on ({:.3g} to {:.3g} at 99 %), from {:.3g} to {:.3g} us "
      "after step {}",
      us_of_step(growth.slope.middle), FirstSteadyStep(steps), us_of_step(growth.slope.low),
      us_of_step(growth.slope.high), costs.front() / 1e3, costs.back() / 1e3, steps - 1);
}

}  // namespace

std::vector<double> CpuOfSteps(const RankObservation& rank, int64_t steps) {
  std::vector<double> of_step(static_cast<size_t>(steps));
  for (const Resources& row : rank.resources) {
    if (row.step >= 0 && row.step < steps) of_step[static_cast<size_t>(row.step)] += static_cast<double>(row.cpu_ns);
  }
  if (std::ranges::any_of(of_step, [](double cost) { return cost <= 0; })) return {};
  return of_step;
}

CostGrowth CpuGrowthOf(const Case& c, const std::vector<RankObservation>& ranks) {
  const int64_t steps = c.experiment.steps;
  CostGrowth worst{.is = CostGrowth::Is::kSteady};
  for (const RankObservation& rank : ranks) {
    const std::vector<double> costs = CheapestSteps(rank, steps);
    if (costs.empty()) return {};
    const StepGrowth growth(costs);
    if (growth.is() <= worst.is) continue;
    worst = {growth.is(), fmt::format("rank {}: a step's CPU time {}", rank.rank, GrowthText(growth, costs, steps))};
  }
  return worst;
}

}  // namespace zerocts
