#include "conformance/contract/moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/contract/mean_gradients.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

/// What one element of a record shows of its mean gradient, where that is wrong.
struct WrongMove {
  float expected;
  MeanGradients::Explains explains;
  std::string numbers;  // for where nothing explains it
};

/// `is_right(i)`, `shows(i)`: of the i-th value of the record. `by`: where a gradient is seen.
template <typename IsRight, typename Shows>
std::optional<Finding> CheckRead(const Case& c, const MeanGradients& gradients, int rank, const TensorRecord& record,
                                 const std::string& by, IsRight is_right, Shows shows) {
  const std::string& name = c.experiment.parameters[record.parameter].name;
  std::optional<Finding> found;
  for (size_t i = 0; i < record.values.size(); ++i) {
    if (is_right(i)) continue;
    if (found) {
      ++found->divergence->differing;
      continue;
    }
    const WrongMove shown = shows(i);
    const int64_t element = record.interval.begin + static_cast<int64_t>(i);
    const float got = record.values[i];
    const std::vector<Factor> factors = gradients.Factors(record.step, record.parameter, element, shown.explains);
    const std::string cause =
        gradients.Explain(record.step, record.parameter, element, shown.explains, TextOf(factors));
    found = {fmt::format("step {}: element {} of {}{} {}", record.step, element, name, by,
                         cause.empty() ? shown.numbers : cause),
             Divergence{.step = record.step,
                        .phase = record.phase,
                        .rank = rank,
                        .tensor = record.what == "parameter" ? "parameter " + name
                                                             : TensorName(c.experiment, record.what, record.parameter),
                        .what = record.what,
                        .parameter = record.parameter,
                        .element = element,
                        .interval = record.interval,
                        .expected = shown.expected,
                        .got = got,
                        .ulp = UlpDistance(shown.expected, got),
                        .differing = 1,
                        .compared = static_cast<int64_t>(record.values.size()),
                        .note = "",
                        .factors = TextsOf(factors)}};
    if (factors.empty() && !cause.empty()) found->divergence->causes = {"an element " + cause};
  }
  return found;
}

/// Where every element stands under plain SGD.
class Positions {
 public:
  Positions(const Experiment& e, const MeanGradients& gradients)
      : e_(e), gradients_(gradients), position_(e.parameters.size()) {
    for (size_t p = 0; p < position_.size(); ++p) {
      const std::vector<float> initial = InitialValuesOf(e_, e_.roles.OwnerOf(static_cast<int>(p)));
      position_[p].assign(initial.begin(), initial.end());
    }
  }

  void Advance(int64_t step) {
    groups_ = GroupsAtStep(e_, step);
    previous_ = position_;
    for (size_t p = 0; p < position_.size(); ++p) {
      const MeanGradients::Values mean = gradients_.Of(step, static_cast<int>(p));
      for (size_t i = 0; i < mean.size(); ++i) position_[p][i] = static_cast<float>(position_[p][i] - Lr(p) * mean[i]);
    }
  }

  float Expected(const TensorRecord& record, size_t i) const {
    return AsSeen(e_, position_[record.parameter][record.interval.begin + i]);
  }

  WrongMove Shown(const TensorRecord& record, size_t i) const {
    const size_t p = record.parameter, element = record.interval.begin + i;
    const double before = previous_[p][element], lr = Lr(p);
    const float got = record.values[i];
    return {.expected = Expected(record, i),
            .explains = [=, this](double gradient) { return AsSeen(e_, before - lr * gradient) == got; },
            .numbers = fmt::format("moved by {}, its own gradient asks for {}", before - static_cast<double>(got),
                                   before - position_[p][element])};
  }

 private:
  double Lr(size_t parameter) const { return groups_[e_.parameters[parameter].group].lr; }

  const Experiment& e_;
  const MeanGradients& gradients_;
  std::vector<HyperParameters> groups_;                     // of this step
  std::vector<MeanGradients::Values> position_, previous_;  // [parameters], after and before this step
};

std::optional<Finding> CheckParameters(const Case& c, const std::vector<RankObservation>& ranks) {
  const MeanGradients gradients(c);
  Positions positions(c.experiment, gradients);
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    positions.Advance(step);
    for (const RankObservation& rank : ranks) {
      for (const TensorRecord& record : rank.tensors) {
        if (record.what != "parameter" || record.step != step) continue;
        const auto is_right = [&](size_t i) {
          return CanonicalBits(positions.Expected(record, i)) == CanonicalBits(record.values[i]);
        };
        const auto shows = [&](size_t i) { return positions.Shown(record, i); };
        if (auto finding = CheckRead(c, gradients, rank.rank, record, "", is_right, shows)) return finding;
      }
    }
  }
  return std::nullopt;
}

/// The same piece of a first moment before the step; none where it was not read.
std::vector<float> Before(const RankObservation& rank, const TensorRecord& record) {
  if (record.step == 0) return std::vector<float>(record.values.size(), 0.0f);
  const auto before = std::ranges::find_if(rank.tensors, [&](const TensorRecord& other) {
    return other.what == record.what && other.step == record.step - 1 && other.parameter == record.parameter &&
           other.interval == record.interval;
  });
  return before == rank.tensors.end() ? std::vector<float>() : before->values;
}

/// The gradient that two first moments show.
class GradientOfMoments {
 public:
  GradientOfMoments(double beta, double before, double after)
      : shown_((after - beta * before) / (1 - beta)),
        bound_((0x1p-21 * (std::fabs(before) + std::fabs(after)) + 0x1p-147) / (1 - beta)) {}

  double shown() const { return shown_; }
  bool MayBe(double gradient) const { return std::fabs(shown_ - gradient) <= bound_; }

 private:
  double shown_, bound_;
};

std::optional<Finding> CheckMoments(const Case& c, const std::vector<RankObservation>& ranks) {
  const Experiment& e = c.experiment;
  const MeanGradients gradients(c);
  for (int64_t step = 0; step < e.steps; ++step) {
    const std::vector<HyperParameters> groups = GroupsAtStep(e, step);
    for (const RankObservation& rank : ranks) {
      for (const TensorRecord& record : rank.tensors) {
        if (record.what != "exp_avg" || record.step != step || e.roles.IsFrozen(record.parameter, step)) continue;
        const std::vector<float> before = Before(rank, record);
        if (before.size() != record.values.size()) continue;
        const MeanGradients::Values mean = gradients.Of(step, record.parameter);
        const double beta = groups[e.parameters[record.parameter].group].beta1;
        const auto own = [&](size_t i) { return mean[record.interval.begin + i]; };
        const auto shown = [&](size_t i) { return GradientOfMoments(beta, before[i], record.values[i]); };
        const auto is_right = [&](size_t i) { return shown(i).MayBe(own(i)); };
        const auto shows = [&](size_t i) {
          return WrongMove{.expected = static_cast<float>(beta * before[i] + (1 - beta) * own(i)),
                           .explains = [gradient = shown(i)](double other) { return gradient.MayBe(other); },
                           .numbers = fmt::format("moved by the gradient {}, its own is {}", shown(i).shown(), own(i))};
        };
        if (auto finding = CheckRead(c, gradients, rank.rank, record, ", by its first moment,", is_right, shows))
          return finding;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> CheckMoves(const Case& c, const std::vector<RankObservation>& ranks) {
  return c.experiment.optimizer == OptimizerKind::kSgd ? CheckParameters(c, ranks) : CheckMoments(c, ranks);
}

}  // namespace zerocts
