// Learning-rate schedules as tables of fp32: a rank is handed numbers, never a formula.
#pragma once
#include <cstdint>
#include <vector>

namespace zerocts {

/// Step s < warmup_steps has peak * (s + 1) / warmup_steps; then a straight line falls from peak towards
/// final_fraction * peak, which step number `steps` would have.
struct LinearSchedule {
  float peak = 0.1f;
  int64_t warmup_steps = 0;
  float final_fraction = 1.0f;
};

/// The learning rate of every step, [steps]; computed in double, rounded to fp32 once.
/// Throws std::invalid_argument unless 0 <= warmup_steps <= steps.
std::vector<float> LearningRates(const LinearSchedule& schedule, int64_t steps);

}  // namespace zerocts
