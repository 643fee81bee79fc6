#include "conformance/contract/moves.hpp"

#include <fmt/format.h>

#include <numeric>

#include "conformance/check/cause/factors.hpp"
#include "reference/experiment/data.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts {
namespace {

using Values = std::vector<double>;  // [numel], exact

/// Positions and moves of one case, computed from its data alone: no optimizer, no rank, no shard.
class Moves {
 public:
  explicit Moves(const Case& c) : e_(c.experiment), replicas_(c.replicas), position_(e_.parameters.size()) {
    for (size_t p = 0; p < position_.size(); ++p) {
      const std::vector<float> initial = InitialValuesOf(e_, e_.roles.OwnerOf(static_cast<int>(p)));
      position_[p].assign(initial.begin(), initial.end());
    }
    previous_ = position_;
  }

  void Advance() {
    ++step_;
    previous_ = position_;
    for (size_t p = 0; p < position_.size(); ++p) {
      const Values mean = Mean(step_, static_cast<int>(p));
      for (size_t i = 0; i < mean.size(); ++i) position_[p][i] = static_cast<float>(position_[p][i] - Lr(p) * mean[i]);
    }
  }

  /// What compute sees when the element stands at `position`.
  float Seen(double position) const {
    const float value = static_cast<float>(position);
    return e_.precision == Precision::kBf16 ? RoundToBf16(value) : value;
  }
  float Expected(int parameter, int64_t element) const { return Seen(position_[parameter][element]); }

  /// Factors of its own move that explain why the element shows `got` after this step.
  std::vector<Factor> Factors(int parameter, int64_t element, float got) const {
    const Values parts = Parts(parameter, element);
    const double own = std::reduce(parts.begin(), parts.end());
    if (own == 0) return {};
    return FactorsThat([&](double factor) { return Seen(previous_[parameter][element] - factor * own) == got; },
                       e_.world_size, e_.micro_batches, replicas_, ExpertsBeside(e_, parameter));
  }

  /// Why the element shows `got` after this step; `factors`: text of its Factors.
  std::string Explain(int parameter, int64_t element, float got, const std::string& factors) const {
    const auto explains = [&](double move) { return Seen(previous_[parameter][element] - move) == got; };
    const Values parts = Parts(parameter, element);
    const double own = std::reduce(parts.begin(), parts.end());
    if (auto text = ExplainByMicroBatch(parts, explains); !text.empty())
      return text + (factors.empty() ? "" : ", or as well by its own gradient times " + factors);
    if (explains(0)) return "did not move: nobody updates it, or its update was not published";
    if (step_ > 0) {
      const double before = Lr(parameter) * Mean(step_ - 1, parameter)[element];
      if (explains(own + before)) return "moved by its own gradient and once more by the one of the step before";
      if (explains(before)) return "moved by the gradient of the step before";
      if (auto text = ExplainByRanksBefore(parameter, element, own, explains); !text.empty()) return text;
    }
    if (!factors.empty()) return "moved by its own gradient times " + factors;
    if (auto text = ExplainByPart(parts, explains); !text.empty()) return text;
    if (auto text = ExplainByOtherElement(explains); !text.empty()) return text;
    return fmt::format("moved by {}, its own gradient asks for {}",
                       previous_[parameter][element] - static_cast<double>(got), own);
  }

 private:
  double Lr(size_t parameter) const { return GroupsAtStep(e_, step_)[e_.parameters[parameter].group].lr; }

  /// The sum over all names of the parameter's elements, each rounded as it is added; zero while they are frozen.
  Values Gradient(int64_t step, int g, int parameter) const {
    const int owner = e_.roles.OwnerOf(parameter);
    std::vector<float> sum(e_.parameters[parameter].numel()), gradient(sum.size());
    for (int name = 0; name < std::ssize(e_.parameters) && !e_.roles.IsFrozen(owner, step); ++name) {
      if (e_.roles.OwnerOf(name) != owner) continue;
      FillGradient(e_, step, g, name, gradient.data());
      for (size_t i = 0; i < sum.size(); ++i) sum[i] = Seen(sum[i] + gradient[i]);
    }
    return Values(sum.begin(), sum.end());
  }

  int MicroBatches() const { return e_.world_size * e_.micro_batches; }
  double Divisor(int parameter) const { return static_cast<double>(MicroBatchesOfMean(e_, parameter)); }

  Values Mean(int64_t step, int parameter) const {
    Values mean(e_.parameters[parameter].numel(), 0.0);
    for (int g = 0; g < MicroBatches(); ++g) {
      const Values gradient = Gradient(step, g, parameter);
      for (size_t i = 0; i < mean.size(); ++i) mean[i] += gradient[i];
    }
    for (double& value : mean) value /= Divisor(parameter);
    return mean;
  }

  /// What each micro-batch adds to the element's move of this step: [W * K], their sum is the move.
  Values Parts(int parameter, int64_t element) const {
    Values parts(MicroBatches());
    for (int g = 0; g < MicroBatches(); ++g)
      parts[g] = Lr(parameter) * Gradient(step_, g, parameter)[element] / Divisor(parameter);
    return parts;
  }

  template <typename Explains>
  std::string ExplainByMicroBatch(const Values& parts, Explains explains) const {
    if (MicroBatches() == 1) return "";
    const double own = std::reduce(parts.begin(), parts.end());
    for (int g = 0; g < MicroBatches(); ++g) {
      const std::string source =
          fmt::format("the gradient of rank {}, micro-batch {},", g / e_.micro_batches, g % e_.micro_batches);
      if (parts[g] == 0) continue;
      if (explains(own - parts[g])) return "moved without " + source + " which was lost";
      if (explains(own + parts[g])) return "moved with " + source + " counted twice";
    }
    return "";
  }

  /// What all ranks but one, its owner, did not take out of the step before.
  template <typename Explains>
  std::string ExplainByRanksBefore(int parameter, int64_t element, double own, Explains explains) const {
    for (int owner = 0; e_.world_size > 1 && owner < e_.world_size; ++owner) {
      double left = 0;
      for (int g = 0; g < MicroBatches(); ++g) {
        if (g / e_.micro_batches != owner)
          left += Lr(parameter) * Gradient(step_ - 1, g, parameter)[element] / Divisor(parameter);
      }
      if (left != 0 && explains(own + left))
        return fmt::format("moved by its own gradient and once more by those of the step before, of all ranks but {}",
                           owner);
    }
    return "";
  }

  /// Only one rank's gradients, or only one micro-batch of each rank.
  template <typename Explains>
  std::string ExplainByPart(const Values& parts, Explains explains) const {
    const int W = e_.world_size, K = e_.micro_batches;
    for (int rank = 0; W > 1 && rank < W; ++rank) {
      const double alone = std::reduce(parts.begin() + rank * K, parts.begin() + (rank + 1) * K);
      if (explains(alone) || explains(W * alone)) return fmt::format("moved by the gradients of rank {} alone", rank);
    }
    for (int k = 0; K > 1 && k < K; ++k) {
      double alone = 0;
      for (int rank = 0; rank < W; ++rank) alone += parts[rank * K + k];
      if (explains(alone) || explains(K * alone)) return fmt::format("moved by micro-batch {} of each rank alone", k);
    }
    return "";
  }

  template <typename Explains>
  std::string ExplainByOtherElement(Explains explains) const {
    for (size_t p = 0; p < position_.size(); ++p) {
      const Values mean = Mean(step_, static_cast<int>(p));
      for (size_t i = 0; i < mean.size(); ++i) {
        if (explains(Lr(p) * mean[i]))
          return fmt::format("moved by the gradient of element {} of {}", i, e_.parameters[p].name);
      }
    }
    return "";
  }

  const Experiment& e_;
  int replicas_;
  int64_t step_ = -1;                        // -1: before the first step
  std::vector<Values> position_, previous_;  // [parameters], after and before step_
};

std::optional<Finding> CheckRead(const Case& c, const Moves& moves, int rank, const TensorRecord& record) {
  const std::string& name = c.experiment.parameters[record.parameter].name;
  std::optional<Divergence> first;
  std::vector<Factor> factors;  // of the first
  for (size_t i = 0; i < record.values.size(); ++i) {
    const int64_t element = record.interval.begin + static_cast<int64_t>(i);
    const float expected = moves.Expected(record.parameter, element), got = record.values[i];
    if (CanonicalBits(expected) == CanonicalBits(got)) continue;
    if (first) {
      ++first->differing;
      continue;
    }
    factors = moves.Factors(record.parameter, element, got);
    first = Divergence{.step = record.step,
                       .phase = record.phase,
                       .rank = rank,
                       .tensor = "parameter " + name,
                       .what = record.what,
                       .parameter = record.parameter,
                       .element = element,
                       .interval = record.interval,
                       .expected = expected,
                       .got = got,
                       .ulp = UlpDistance(expected, got),
                       .differing = 1,
                       .compared = static_cast<int64_t>(record.values.size()),
                       .note = "",
                       .factors = TextsOf(factors)};
  }
  if (!first) return std::nullopt;
  const std::string move = moves.Explain(record.parameter, first->element, first->got, TextOf(factors));
  if (factors.empty() && move.find(", its own gradient asks for ") == std::string::npos)
    first->causes = {"an element " + move};
  return Finding{fmt::format("step {}: element {} of {} {}", record.step, first->element, name, move), first};
}

}  // namespace

std::optional<Finding> CheckMoves(const Case& c, const std::vector<RankObservation>& ranks) {
  Moves moves(c);
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    moves.Advance();
    for (const RankObservation& rank : ranks) {
      for (const TensorRecord& record : rank.tensors) {
        if (record.what != "parameter" || record.step != step) continue;
        if (auto finding = CheckRead(c, moves, rank.rank, record)) return finding;
      }
    }
  }
  return std::nullopt;
}

}  // namespace zerocts
