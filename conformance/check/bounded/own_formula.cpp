#include "conformance/check/bounded/own_formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "conformance/check/bounded/plain_update.hpp"
#include "conformance/check/finding/sentences.hpp"
#include "reference/experiment/data.hpp"
#include "reference/experiment/given_loss.hpp"

namespace zerocts {
namespace {

constexpr double kSlack = 2;

/// The mean gradient of one parameter in one step, its other names included.
struct MeanGradient {
  std::vector<double> value, magnitude;  // [numel]; of the magnitudes of all micro-batches
};

/// `values`: of the parameter before the step.
MeanGradient MeanGradientOf(const Experiment& e, int64_t step, int parameter, std::span<const float> values) {
  const auto numel = static_cast<size_t>(e.parameters[static_cast<size_t>(parameter)].numel());
  const int64_t micro_batches = int64_t{e.world_size} * e.micro_batches;
  const auto divisor = static_cast<double>(MicroBatchesOfMean(e, parameter));
  MeanGradient mean{std::vector<double>(numel), std::vector<double>(numel)};
  std::vector<float> gradient(numel);
  for (int name = 0; name < static_cast<int>(e.parameters.size()); ++name) {
    if (e.roles.OwnerOf(name) != parameter) continue;
    for (int64_t g = 0; g < micro_batches; ++g) {
      FillGradient(e, step, g, name, gradient.data());
      AddCurvature(e, name, values.data(), values.data(), gradient.data());
      for (size_t i = 0; i < numel; ++i) {
        mean.value[i] += gradient[i] / divisor;
        mean.magnitude[i] += std::fabs(gradient[i]) / divisor;
      }
    }
  }
  return mean;
}

/// No order of additions makes another sign of it, and its square is a number of fp32.
bool IsClear(double gradient, double magnitude) {
  return std::fabs(gradient) >= std::max(magnitude / 4, 0x1p-40) && magnitude <= 0x1p40;
}

double NormOf(std::span<const float> values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

/// One parameter on its way through the steps.
class Moving {
 public:
  Moving(const Experiment& e, int parameter)
      : e_(e),
        parameter_(parameter),
        reach_(static_cast<size_t>(spec().numel())),
        plain_(reach_.size()),
        is_plain_(reach_.size(), e.max_norm == 0) {}

  std::optional<Finding> Check(int64_t step, std::span<const float> before, std::span<const float> after) {
    const HyperParameters h = GroupsAtStep(e_, step)[static_cast<size_t>(spec().group)];
    const MeanGradient mean = MeanGradientOf(e_, step, parameter_, before);
    betas_changed_ |= updates_ > 0 && (h.beta1 != last_.beta1 || h.beta2 != last_.beta2);
    const bool is_plain = h.lr > 0 && h.weight_decay == 0 && updates_ == step && !betas_changed_ &&
                          (updates_ == 0 || h.momentum == last_.momentum);
    last_ = h;
    if (++updates_ == 1 && ShouldMove(h, mean, before) && std::ranges::equal(before, after)) {
      return Found(
          fmt::format("{} has not moved in step {}, although its group has the learning rate {} and its mean "
                      "gradient is not zero (it begins with {:.9g})",
                      spec().name, step, h.lr, mean.value.front()));
    }
    if (auto finding = CheckDistances(step, h, mean, before, after)) return finding;
    if (is_muon()) return CheckFirstOfMatrix(step, h, mean, before, after);
    return CheckRanges(step, h, mean, before, after, is_plain);
  }

 private:
  const ParameterSpec& spec() const { return e_.parameters[static_cast<size_t>(parameter_)]; }
  bool is_bf16() const { return PrecisionOf(e_, parameter_) == Precision::kBf16; }

  /// Does a plain first update change a bit of some element? Clipping may make it as small as it likes.
  bool ShouldMove(const HyperParameters& h, const MeanGradient& mean, std::span<const float> before) const {
    if (e_.max_norm != 0) return false;
    const double visible = is_bf16() ? 0x1p-4 : 0x1p-12;
    for (size_t i = 0; i < before.size(); ++i) {
      const double g = std::fabs(mean.value[i]);
      const double step = e_.optimizer == OptimizerKind::kSgd ? g : g / (g + h.eps) / 10 / RootOfMatrix();
      if (h.lr * step > std::max(visible * std::fabs(before[i]), 0x1p-100)) return true;
    }
    return false;
  }

  bool is_muon() const { return e_.optimizer == OptimizerKind::kMuon; }

  /// Muon spreads a length of at least 0.6 over so many elements.
  double RootOfMatrix() const { return is_muon() ? std::sqrt(static_cast<double>(spec().numel())) : 1; }

  /// s of Jordan, or of those who match the length of Adam's updates.
  double LargestScaleOfMatrix() const {
    const auto rows = static_cast<double>(spec().shape.front()), columns = static_cast<double>(spec().shape.back());
    return std::max({1.0, std::sqrt(rows / columns), 0.2 * std::sqrt(std::max(rows, columns))});
  }

  /// Before a momentum has a past: the product of gradient and update is the sum of singular values, each times what
  /// became of it, and none changed its sign.
  std::optional<Finding> CheckFirstOfMatrix(int64_t step, const HyperParameters& h, const MeanGradient& mean,
                                            std::span<const float> before, std::span<const float> after) const {
    if (updates_ != 1 || h.lr == 0 || h.weight_decay != 0) return std::nullopt;
    double product = 0, rounding = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      if (!IsClear(mean.value[i], mean.magnitude[i])) return std::nullopt;
      product += mean.value[i] * (static_cast<double>(before[i]) - after[i]);
      rounding += std::fabs(mean.value[i]) * RoundingOf(before[i], after[i]);
    }
    if (product >= -rounding) return std::nullopt;
    return Found(
        fmt::format("{} moved with its mean gradient in step {}: the sum over its elements of gradient times update is "
                    "{:.3g}, expected one below 0, against the gradient (learning rate {}, first update)",
                    spec().name, step, -product, h.lr));
  }

  std::optional<Finding> CheckDistances(int64_t step, const HyperParameters& h, const MeanGradient& mean,
                                        std::span<const float> before, std::span<const float> after) {
    const double norm = NormOf(before);
    for (size_t i = 0; i < before.size(); ++i) {
      const double distance = std::fabs(static_cast<double>(after[i]) - before[i]);
      const double most = MostOf(h, i, mean.magnitude[i], std::fabs(before[i]), norm);
      if (distance <= kSlack * most + RoundingOf(before[i], after[i])) continue;
      return Found(
          fmt::format("{}, element {}, moved from {:.9g} to {:.9g} in step {}: by {:.3g}, and {:.3g} is twice "
                      "what any formula of the kind of {} allows (learning rate {}, magnitude of the mean "
                      "gradient {:.3g})",
                      spec().name, i, before[i], after[i], step, distance, kSlack * most, ToString(e_.optimizer), h.lr,
                      mean.magnitude[i]));
    }
    return std::nullopt;
  }

  /// Judges elements whose gradients are so far from zero that no order of additions changes what they are.
  std::optional<Finding> CheckRanges(int64_t step, const HyperParameters& h, const MeanGradient& mean,
                                     std::span<const float> before, std::span<const float> after, bool is_plain) {
    const double error = NarrowestPrecision(e_) == Precision::kBf16 ? 0x1p-3 : 0x1p-10;
    for (size_t i = 0; i < before.size(); ++i) {
      const double gradient = mean.value[i];
      is_plain_[i] = is_plain_[i] && is_plain && IsClear(gradient, mean.magnitude[i]);
      if (!is_plain_[i]) continue;
      const UpdateRange range = plain_[i].Next(e_.optimizer, h, gradient, mean.magnitude[i], error);
      const double went = (static_cast<double>(before[i]) - after[i]) / h.lr,
                   rounding = RoundingOf(before[i], after[i]) / h.lr;
      if (went >= range.least - rounding && went <= range.most + rounding) continue;
      return Found(
          fmt::format("{}, element {}, moved from {:.9g} to {:.9g} in step {}, by {:.3g} of its learning rate {}: "
                      "expected {:.3g} to {:.3g}, {} (mean gradient {:.3g}, update {} of formulas of the kind of {})",
                      spec().name, i, before[i], after[i], step, -went, h.lr, -range.most, -range.least,
                      went * gradient < 0 ? "against the gradient" : "as far as the learning rate says", gradient,
                      updates_, ToString(e_.optimizer)));
    }
    return std::nullopt;
  }

  double RoundingOf(float before, float after) const {
    return (is_bf16() ? 0x1p-7 : 0x1p-22) * (std::fabs(before) + std::fabs(after));
  }

  double MostOf(const HyperParameters& h, size_t i, double gradient, double value, double norm) {
    const double decay = h.weight_decay * value;
    if (e_.optimizer == OptimizerKind::kSgd) {
      reach_[i] = h.momentum * reach_[i] + gradient + decay;
      return h.lr * (1 + h.momentum) * reach_[i];
    }
    if (is_muon()) return h.lr * (1.3 * LargestScaleOfMatrix() + decay);
    if (betas_changed_) return std::numeric_limits<double>::infinity();
    const double moved = AdamReach(h.beta1, h.beta2, updates_) + decay;
    return h.lr * (e_.optimizer == OptimizerKind::kLamb ? std::max(norm, moved) : moved);
  }

  const Experiment& e_;
  const int parameter_;
  std::vector<double> reach_;
  std::vector<PlainUpdates> plain_;
  std::vector<char> is_plain_;  // all updates so far: without decay and clipping, of gradients that are not small
  HyperParameters last_;
  int64_t updates_ = 0;
  bool betas_changed_ = false;
};

/// After load (step -1) and after each step, as the first rank reads them: others are compared with it elsewhere.
using ParametersOfSteps = std::map<std::pair<int64_t, int>, std::span<const float>>;

ParametersOfSteps ParametersOf(const RankObservation& rank) {
  ParametersOfSteps parameters;
  for (const TensorRecord& record : rank.tensors) {
    if (record.what == "parameter") parameters[{record.step, record.parameter}] = record.values;
  }
  return parameters;
}

}  // namespace

double AdamReach(double beta1, double beta2, int64_t updates) {
  double most = 0, weights = 0;
  for (int64_t t = 1; t <= updates; ++t) {
    weights += std::pow(beta1 * beta1 / beta2, static_cast<double>(t - 1));
    const double n = static_cast<double>(t), plain = (1 - beta1) / std::sqrt(1 - beta2) * std::sqrt(weights);
    const double correction = std::sqrt(1 - std::pow(beta2, n)) / (1 - std::pow(beta1, n));
    most = std::max(most, plain * std::max(1.0, correction));
  }
  return most;
}

std::optional<Finding> CheckOwnFormula(const Case& c, const std::vector<RankObservation>& ranks) {
  const Experiment& e = c.experiment;
  if (e.gradients == GradientSource::kModel || !e.planted.empty()) return std::nullopt;
  const ParametersOfSteps shown = ParametersOf(ranks.front());
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    Moving moving(e, p);
    for (int64_t step = 0; step < e.steps; ++step) {
      const auto before = shown.find({step - 1, p}), after = shown.find({step, p});
      if (!e.roles.HasState(p) || !IsUpdated(e, p, step) || before == shown.end() || after == shown.end()) continue;
      if (auto finding = moving.Check(step, before->second, after->second)) return finding;
    }
  }
  return std::nullopt;
}

}  // namespace zerocts
