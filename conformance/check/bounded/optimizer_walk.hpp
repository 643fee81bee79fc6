// SGD and Adam as their definitions say, over any kind of number N: what training_walk.hpp updates by.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/model/measured.hpp"
#include "reference/optim/hyper_parameters.hpp"

namespace zerocts {

/// LAMB and Muon need whole tensors.
inline bool IsUpdateWalked(OptimizerKind kind) { return kind != OptimizerKind::kLamb && kind != OptimizerKind::kMuon; }

template <typename N>
struct WalkedElement {
  N parameter;                        // in fp32
  N first = N(0.0), second = N(0.0);  // momentum, or exp_avg and exp_avg_sq
};

/// As torch and our own formulas have it; the buffer begins with the first gradient.
template <typename N>
void SgdUpdate(const HyperParameters& h, bool is_first, N gradient, WalkedElement<N>& element) {
  const N d = gradient + N(h.weight_decay) * element.parameter;
  N along = d;
  if (h.momentum != 0.0f) {
    const N taken = (N(1.0) - N(h.dampening)) * d;
    element.first = is_first ? d : N(h.momentum) * element.first + taken;
    along = h.nesterov ? d + N(h.momentum) * element.first : element.first;
  }
  element.parameter = element.parameter - N(h.lr) * along;
}

/// What all elements of a group have in common in an update.
struct AdamConstants {
  AdamConstants(const HyperParameters& h, int64_t made)
      : beta1(h.beta1), beta2(h.beta2), eps(h.eps), updates(static_cast<double>(made)) {}

  double beta1, beta2, eps, updates;
  double of_first = 1.0 - std::pow(beta1, updates), of_second = 1.0 - std::pow(beta2, updates);  // bias corrections
  double largest = LargestRatio();

  double First(double before, double gradient) const { return beta1 * before + (1.0 - beta1) * gradient; }
  double Second(double before, double gradient) const { return beta2 * before + (1.0 - beta2) * gradient * gradient; }

  /// The largest |exp_avg| / sqrt(exp_avg_sq), whatever the gradients were: by Cauchy and Schwarz, where the addends of
  /// one are the gradients and those of the other their squares.
  double LargestRatio() const {
    const double shrinking = beta1 * beta1 / beta2;
    const double sum = shrinking == 1.0 ? updates : (1.0 - std::pow(shrinking, updates)) / (1.0 - shrinking);
    return (1.0 - beta1) * std::sqrt(sum / (1.0 - beta2));
  }
  /// exp_avg / sqrt(exp_avg_sq) where a gradient goes into both.
  double Ratio(double first, double second, double gradient) const {
    const double mean = First(first, gradient), root = std::sqrt(Second(second, gradient));
    return mean == 0.0 ? 0.0 : std::clamp(mean / root, -largest, largest);
  }
  /// What `eps` leaves of it.
  double Left(double root) const { return root == 0.0 ? 0.0 : root / (root + eps * std::sqrt(of_second)); }
  /// Where one moves the ratio neither way.
  double TurningGradient(double first, double second) const {
    const double of_first = beta1 * (1.0 - beta2) * first;
    return of_first == 0.0 ? 0.0 : (1.0 - beta1) * beta2 * second / of_first;
  }
};

struct Ends {
  double least = 0.0, most = 0.0;
};
inline Ends Spanned(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return {least, most};
}
template <int kUnits>
Ends EndsOf(const RunningError<kUnits>& x) {
  return {x.value - x.error, x.value + x.error};
}

/// The ratio has its ends where first and second have theirs, and the gradient has one or turns it.
inline Ends EndsOfRatio(const AdamConstants& k, Ends first, Ends second, Ends gradient) {
  std::vector<double> ratios;
  for (const double f : {first.least, first.most}) {
    for (const double s : {second.least, second.most}) {
      const double turning = std::clamp(k.TurningGradient(f, s), gradient.least, gradient.most);
      for (const double g : {gradient.least, turning, gradient.most}) ratios.push_back(k.Ratio(f, s, g));
    }
  }
  return Spanned(ratios);
}

/// An update without its learning rate, from moments before it: exp_avg / (sqrt(exp_avg_sq) + eps), both corrected.
inline double AdamStep(const AdamConstants& k, double first, double second, double gradient) {
  const double root = std::sqrt(k.Second(second, gradient));
  return k.Ratio(first, second, gradient) * k.Left(root) * std::sqrt(k.of_second) / k.of_first;
}

/// A gradient that may as well be 0 goes either way, and one that is far from it goes nearly as far whatever it is: the
/// range of the whole formula, not of its parts.
template <int kUnits>
RunningError<kUnits> AdamStep(const AdamConstants& k, RunningError<kUnits> first, RunningError<kUnits> second,
                              RunningError<kUnits> gradient) {
  constexpr int kRoundings = 8;
  using Number = RunningError<kUnits>;
  const Ends f = EndsOf(first), g = EndsOf(gradient);
  const Ends s = {std::fmax(0.0, EndsOf(second).least), EndsOf(second).most};
  const double nearest = g.least <= 0.0 && g.most >= 0.0 ? 0.0 : std::fmin(std::fabs(g.least), std::fabs(g.most));
  const double furthest = std::fmax(std::fabs(g.least), std::fabs(g.most));
  const Ends ratio = EndsOfRatio(k, f, s, g);
  const double least_left = k.Left(std::sqrt(k.Second(s.least, nearest)));
  const double most_left = k.Left(std::sqrt(k.Second(s.most, furthest)));
  const double corrected = std::sqrt(k.of_second) / k.of_first;
  const double low = corrected * ratio.least * (ratio.least < 0.0 ? most_left : least_left);
  const double high = corrected * ratio.most * (ratio.most > 0.0 ? most_left : least_left);
  const double step = AdamStep(k, first.value, std::fmax(0.0, second.value), gradient.value);
  // 1 - beta ** updates, in fp32
  const double of_corrections = Number::kUnit * (k.updates + 1.0) * (1.0 / k.of_first + 0.5 / k.of_second);
  const double error = std::fmax(high - step, step - low) + of_corrections * std::fmax(std::fabs(low), std::fabs(high));
  return Number::Rounded(step, error, kRoundings);
}

/// With the decay apart from the gradient (AdamW) or in it.
template <typename N>
void AdamUpdate(OptimizerKind kind, const HyperParameters& h, const AdamConstants& constants, N gradient,
                WalkedElement<N>& element) {
  const N one(1.0), decay(h.weight_decay), lr(h.lr), beta1(h.beta1), beta2(h.beta2);
  const N d = kind == OptimizerKind::kAdam ? gradient + decay * element.parameter : gradient;
  const N step = AdamStep(constants, element.first, element.second, d);
  element.first = beta1 * element.first + (one - beta1) * d;
  element.second = beta2 * element.second + (one - beta2) * d * d;
  const N kept = kind == OptimizerKind::kAdamW ? element.parameter * (one - lr * decay) : element.parameter;
  element.parameter = kept - lr * step;
}

}  // namespace zerocts
