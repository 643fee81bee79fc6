#include "reference/optim/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/optim/cosine.hpp"

namespace zerocts {
namespace {

/// The warm-up, then after(s) for the steps behind it.
template <typename After>
std::vector<float> WarmUpThen(double peak, int64_t warmup, int64_t steps, After after) {
  if (warmup < 0 || warmup > steps) {
    throw std::invalid_argument("warmup_steps: expected 0 to " + std::to_string(steps) +
                                " (the number of steps), got " + std::to_string(warmup));
  }
  std::vector<float> rates(static_cast<size_t>(steps));
  for (int64_t s = 0; s < warmup; ++s) {
    rates[s] = static_cast<float>(peak * (static_cast<double>(s + 1) / static_cast<double>(warmup)));
  }
  for (int64_t s = warmup; s < steps; ++s) rates[s] = static_cast<float>(after(s));
  return rates;
}

}  // namespace

std::vector<float> LearningRates(const LinearSchedule& schedule, int64_t steps) {
  const int64_t warmup = schedule.warmup_steps;
  const double peak = schedule.peak, end = schedule.final_fraction;
  return WarmUpThen(peak, warmup, steps, [=](int64_t s) {
    const double passed = static_cast<double>(s - warmup) / static_cast<double>(steps - warmup);
    return peak * (1.0 - (1.0 - end) * passed);
  });
}

std::vector<float> LearningRates(const ConstantSchedule& schedule, int64_t steps) {
  const double peak = schedule.peak;
  return WarmUpThen(peak, schedule.warmup_steps, steps, [=](int64_t) { return peak; });
}

std::vector<float> LearningRates(const CosineSchedule& schedule, int64_t steps) {
  const int64_t warmup = schedule.warmup_steps;
  const double peak = schedule.peak, end = schedule.final_fraction;
  return WarmUpThen(peak, warmup, steps, [=](int64_t s) {
    const double share = 0.5 * (1.0 + CosineOfPi(s - warmup, steps - warmup));
    const double falling = (1.0 - end) * share;
    return peak * (end + falling);
  });
}

std::vector<float> LearningRates(const InverseSqrtSchedule& schedule, int64_t steps) {
  const double peak = schedule.peak, first = static_cast<double>(std::max<int64_t>(schedule.warmup_steps, 1));
  return WarmUpThen(peak, schedule.warmup_steps, steps,
                    [=](int64_t s) { return peak * std::sqrt(first / static_cast<double>(s + 1)); });
}

}  // namespace zerocts
