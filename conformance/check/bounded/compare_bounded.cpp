#include "conformance/check/bounded/compare_bounded.hpp"

#include <cmath>

#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/cases/inputs/rank_inputs.hpp"
#include "conformance/check/bounded/bounded_losses.hpp"
#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/expected/program_order.hpp"
#include "conformance/check/finding/difference.hpp"
#include "conformance/check/finding/sentences.hpp"
#include "conformance/check/observation/records.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

class BoundedComparison {
 public:
  BoundedComparison(const Case& c, const std::vector<BoundedStep>& steps, const CompareOptions& options)
      : c_(c), e_(c.experiment), steps_(steps), options_(options) {
    for (size_t p = 0; p < e_.parameters.size(); ++p) {
      const std::vector<float> initial = InitialValuesOf(e_, static_cast<int>(p));
      initial_.emplace_back(initial.begin(), initial.end());
    }
  }

  std::optional<Finding> Compare(const Shown& shown) const {
    if (shown.record) return options_.Wants(*shown.record) ? CompareTensor(shown.rank, *shown.record) : std::nullopt;
    if (shown.phase == Phase::kMicroBatch) {
      return options_.losses ? CompareLosses(shown.rank, *shown.scalars) : std::nullopt;
    }
    return options_.norm && e_.max_norm > 0 ? CompareClipping(shown.rank, *shown.scalars) : std::nullopt;
  }

 private:
  /// Empty for a tensor that is not judged: the parameters tell whether momentum was right.
  const std::vector<Bounded>& BoundOf(const std::string& what, int64_t step, int parameter) const {
    static const std::vector<Bounded> kNone;
    const auto p = static_cast<size_t>(parameter);
    if (what == "gradient") return steps_[static_cast<size_t>(step)].gradient[p];
    if (IsAfterResume(what)) return BoundOf(WithoutResume(what), step, parameter);
    if (what != "master" && ClassOf(what) != TensorClass::kParameter) return kNone;
    const int64_t after = what == "parameter_before_step" ? step - 1 : step;
    return after < 0 ? initial_[p] : steps_[static_cast<size_t>(after)].parameter[p];
  }

  std::optional<Finding> CompareTensor(int rank, const TensorRecord& record) const {
    const std::vector<Bounded>& bound = BoundOf(record.what, record.step, record.parameter);
    if (bound.empty()) return std::nullopt;
    if (record.values.empty() && record.interval.begin < record.interval.end) {
      return Found(fmt::format("{} {} was shown by its hash alone: a bound needs its values",
                               TensorName(e_, record.what, record.parameter), InStep(record.step)));
    }
    const auto begin = static_cast<size_t>(record.interval.begin);
    std::vector<float> nearest;
    Difference beyond;
    for (size_t i = 0; i < record.values.size(); ++i) {
      nearest.push_back(static_cast<float>(bound[begin + i].value));
      if (ShareOfBound(bound[begin + i], record.values[i]) <= 1.0) continue;
      if (beyond.differing++ == 0) beyond.first = static_cast<int64_t>(i);
    }
    if (beyond.differing == 0) return std::nullopt;
    Divergence divergence = DivergenceAt(e_, rank, record, nearest, beyond);
    const Bounded& expected = bound[static_cast<size_t>(divergence.element)];
    divergence.note = NoteOn(expected, divergence.got) + UpdateNote(record, divergence.element) + kDerivation;
    return TooFar(std::move(divergence));
  }

  std::optional<Finding> CompareLosses(int rank, const StepScalars& got) const {
    if (auto finding = CheckLossCount(e_, rank, got)) return finding;
    const auto micro_batches = static_cast<size_t>(e_.micro_batches);
    for (size_t k = 0; k < micro_batches; ++k) {
      const auto g = static_cast<size_t>(GlobalMicroBatch(c_, rank, static_cast<int64_t>(k)));
      const Bounded& expected = steps_[static_cast<size_t>(got.step)].losses[g];
      const std::string name = fmt::format("loss of micro-batch {}", k);
      if (auto finding = CompareScalar({rank, got.step, Phase::kMicroBatch, name}, expected, got.losses[k])) {
        return finding;
      }
    }
    return std::nullopt;
  }

  /// The norm first, from which the coefficient follows.
  std::optional<Finding> CompareClipping(int rank, const StepScalars& got) const {
    const Clipping<Bounded>& expected = steps_[static_cast<size_t>(got.step)].clipping;
    auto finding = CompareScalar({rank, got.step, Phase::kNorm, "grad_norm"}, expected.norm, got.grad_norm);
    if (finding) return finding;
    return CompareScalar({rank, got.step, Phase::kNorm, "clip_coefficient"}, expected.coefficient,
                         got.clip_coefficient);
  }

  struct ScalarPosition {
    int rank;
    int64_t step;
    Phase phase;
    std::string name;
  };

  static std::optional<Finding> CompareScalar(const ScalarPosition& position, const Bounded& expected, double got) {
    if (ShareOfBound(expected, got) <= 1.0) return std::nullopt;
    Divergence divergence = ScalarDivergence(position.step, position.phase, position.rank, position.name,
                                             static_cast<float>(expected.value), static_cast<float>(got));
    divergence.note = NoteOn(expected, got) + kDerivation;
    return TooFar(std::move(divergence));
  }

  static Finding TooFar(Divergence divergence) {
    return {fmt::format("{} on rank {} is beyond the bound of exact arithmetic {}", divergence.tensor, divergence.rank,
                        InStep(divergence.step)),
            std::move(divergence)};
  }

  static std::string NoteOn(const Bounded& expected, double got) {
    return fmt::format("exact {:.17g}, bound {:.3g}, got is {:.3g} bounds away", expected.value, expected.error,
                       ShareOfBound(expected, got));
  }

  /// What the bound of a parameter consists of.
  std::string UpdateNote(const TensorRecord& record, int64_t element) const {
    if (record.what == "gradient" || record.what == "parameter_before_step" || record.step < 0) return "";
    const auto p = static_cast<size_t>(record.parameter), i = static_cast<size_t>(element);
    const auto step = static_cast<size_t>(record.step);
    const Bounded gradient = steps_[step].gradient[p][i];
    const double before = step == 0 ? 0.0 : steps_[step - 1].parameter[p][i].error;
    return fmt::format(
        "\n  the bound: {:.3g} of the parameter before the step, lr {:g} times {:.3g} of its mean gradient over "
        "{} micro-batches, its clipping, weight decay, momentum and the roundings of the update",
        before, e_.groups[static_cast<size_t>(e_.parameters[p].group)].lr, gradient.error,
        MicroBatchesOfMean(e_, record.parameter));
  }

  static constexpr const char* kDerivation =
      "\n  derived (running error analysis, u = 2^-23): a sum of n terms errs, in any order, by n u / (1 - n u) of the "
      "sum of magnitudes,\n  each other operation by u of its result, exp, log and tanh by 4 u; carried through "
      "forward, "
      "backward, mean, clipping and update";

  const Case& c_;
  const Experiment& e_;
  const std::vector<BoundedStep>& steps_;
  const CompareOptions& options_;
  BoundedTensors initial_;
};

}  // namespace

std::optional<Finding> CompareWithBound(const Case& c, const std::vector<RankObservation>& ranks,
                                        const CompareOptions& options) {
  if (auto finding = CheckWellFormed(c, ranks)) return finding;
  std::vector<std::string> input_hashes;
  for (int rank = 0; rank < c.world_size(); ++rank) input_hashes.push_back(InputHash(c, rank));
  if (auto finding = CheckInputs(ranks, input_hashes)) return finding;
  const std::vector<BoundedStep> steps = BoundedTraining(c.experiment);
  const BoundedComparison comparison(c, steps, options);
  for (const Shown& shown : InProgramOrder(ranks)) {
    if (auto finding = comparison.Compare(shown)) return finding;
  }
  return CheckComplete(c, ranks);
}

}  // namespace zerocts
