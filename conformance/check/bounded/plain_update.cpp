#include "conformance/check/bounded/plain_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zerocts {
namespace {

constexpr double kNear = 0.75;  // of what a formula gives, and its inverse: half and twice are far
constexpr double kAnywhere = std::numeric_limits<double>::infinity();

UpdateRange Around(std::initializer_list<double> updates) {
  const auto [least, most] = std::minmax(updates);
  return {least > 0 ? least * kNear : least / kNear, most > 0 ? most / kNear : most * kNear};
}

}  // namespace

UpdateRange PlainUpdates::Next(OptimizerKind kind, const HyperParameters& h, double gradient, double magnitude,
                               double error) {
  ++updates_;
  positive_ &= gradient > 0;
  negative_ &= gradient < 0;
  if (kind == OptimizerKind::kSgd) return NextOfSgd(h, gradient);
  const UpdateRange of_adam = NextOfAdam(h, gradient, magnitude, error);
  if (kind != OptimizerKind::kLamb) return of_adam;
  return {of_adam.least > 0 ? 0 : -kAnywhere, of_adam.most < 0 ? 0 : kAnywhere};
}

UpdateRange PlainUpdates::NextOfSgd(const HyperParameters& h, double gradient) {
  if (h.momentum == 0 || updates_ == 1) {
    const double dampened = (1 - h.dampening) * gradient;
    return Around({gradient, dampened, gradient + h.momentum * gradient, gradient + h.momentum * dampened});
  }
  return {positive_ ? 0 : -kAnywhere, negative_ ? 0 : kAnywhere};
}

UpdateRange PlainUpdates::NextOfAdam(const HyperParameters& h, double gradient, double magnitude, double error) {
  const double beta1 = h.beta1, beta2 = h.beta2, eps = h.eps, updates = static_cast<double>(updates_);
  m_ = beta1 * m_ + (1 - beta1) * gradient;
  magnitude_ = beta1 * magnitude_ + (1 - beta1) * magnitude;
  v_ = beta2 * v_ + (1 - beta2) * gradient * gradient;
  largest_v_ = std::max(largest_v_, v_);
  const double of_m = 1 - std::pow(beta1, updates), root_of_v = std::sqrt(1 - std::pow(beta2, updates));
  const double corrected = m_ / of_m,
               nesterov = beta1 * m_ / (1 - std::pow(beta1, updates + 1)) + (1 - beta1) * gradient / of_m;
  const double newest = std::sqrt(v_) / root_of_v, largest = std::sqrt(largest_v_) / root_of_v;
  const double with_eps = largest + std::max(eps / root_of_v, std::sqrt(eps));
  const UpdateRange range = Around({corrected / newest, corrected / with_eps, nesterov / newest, nesterov / with_eps,
                                    m_ / std::sqrt(v_), m_ / (std::sqrt(largest_v_) + std::max(eps, std::sqrt(eps)))});
  const double slack = error * magnitude_ * std::max(1 / (of_m * newest), 1 / std::sqrt(v_));
  return {range.least - slack, range.most + slack};
}

}  // namespace zerocts
