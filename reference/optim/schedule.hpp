// Learning-rate schedules as tables of fp32: a rank is handed numbers, never a formula.
#pragma once
#include <cstdint>
#include <vector>

namespace zerocts {

/// A learning rate may not depend on whose libm computed it. The double nearest to cos(pi * k / n), 0 <= k <= n, 1 <= n
/// <= 2^31. Evaluated with pairs of doubles, about 100 bits, in + - * / and fma alone. Where it is rational (0, 1/2, 1:
/// Niven) it is a double, so no tie has to be broken.
double CosineOfPi(int64_t k, int64_t n);

/// Step s < warmup_steps has peak * (s + 1) / warmup_steps; then a straight line falls from peak towards
/// final_fraction * peak, which step number `steps` would have.
struct LinearSchedule {
  float peak = 0.1f;
  int64_t warmup_steps = 0;
  float final_fraction = 1.0f;
};

/// After the same warm-up, peak.
struct ConstantSchedule {
  float peak = 0.1f;
  int64_t warmup_steps = 0;
};

/// After the same warm-up, half a cosine from peak towards final_fraction * peak, which step number `steps` would have:
/// peak * (final + (1 - final) * (0.5 * (1 + cos(pi * passed)))).
struct CosineSchedule {
  float peak = 0.1f;
  int64_t warmup_steps = 0;
  float final_fraction = 0.0f;
};

/// After the same warm-up, peak * sqrt(w / (s + 1)), w = max(warmup_steps, 1): peak at the last step of the warm-up.
struct InverseSqrtSchedule {
  float peak = 0.1f;
  int64_t warmup_steps = 0;
};

// The learning rate of every step, [steps]; computed in double, each written operation rounded (the cosine too, to the
// nearest double), and rounded to fp32 once. Throw std::invalid_argument unless 0 <= warmup_steps <= steps.
std::vector<float> LearningRates(const LinearSchedule& schedule, int64_t steps);
std::vector<float> LearningRates(const ConstantSchedule& schedule, int64_t steps);
std::vector<float> LearningRates(const CosineSchedule& schedule, int64_t steps);
std::vector<float> LearningRates(const InverseSqrtSchedule& schedule, int64_t steps);

}  // namespace zerocts
