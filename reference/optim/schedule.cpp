#include "reference/optim/schedule.hpp"

#include <stdexcept>
#include <string>

namespace zerocts {

std::vector<float> LearningRates(const LinearSchedule& schedule, int64_t steps) {
  const int64_t warmup = schedule.warmup_steps;
  if (warmup < 0 || warmup > steps) {
    throw std::invalid_argument("warmup_steps: expected 0 to " + std::to_string(steps) +
                                " (the number of steps), got " + std::to_string(warmup));
  }
  const double peak = schedule.peak, end = schedule.final_fraction;
  std::vector<float> rates(static_cast<size_t>(steps));
  for (int64_t s = 0; s < warmup; ++s) {
    rates[s] = static_cast<float>(peak * (static_cast<double>(s + 1) / static_cast<double>(warmup)));
  }
  for (int64_t s = warmup; s < steps; ++s) {
    const double passed = static_cast<double>(s - warmup) / static_cast<double>(steps - warmup);
    rates[s] = static_cast<float>(peak * (1.0 - (1.0 - end) * passed));
  }
  return rates;
}

}  // namespace zerocts
