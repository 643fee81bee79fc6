#include "conformance/check/compare/compare.hpp"

#include "conformance/cases/inputs/rank_inputs.hpp"
#include "conformance/check/cause/causes_of_norm.hpp"
#include "conformance/check/cause/factors.hpp"
#include "conformance/check/cause/hints.hpp"
#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/expected/program_order.hpp"
#include "conformance/check/finding/difference.hpp"
#include "conformance/check/finding/sentences.hpp"
#include "conformance/check/observation/records.hpp"
#include "conformance/check/observation/step_scalars.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

Finding Differs(Divergence divergence) {
  return {fmt::format("{} on rank {} differs from the reference {}", divergence.tensor, divergence.rank,
                      InStep(divergence.step)),
          std::move(divergence)};
}

void Explain(Divergence& divergence, Hint hint) {
  divergence.note = std::move(hint.text);
  divergence.factors = std::move(hint.factors);
}

class Comparison {
 public:
  Comparison(const Case& c, const std::vector<RankObservation>& ranks, const Expected& expected,
             const CompareOptions& options)
      : c_(c), ranks_(ranks), expected_(expected), tensors_(c.experiment, expected), options_(options) {}

  std::optional<Finding> Compare(const Shown& shown) const {
    if (shown.record) return options_.Wants(*shown.record) ? CompareTensor(shown.rank, *shown.record) : std::nullopt;
    return shown.phase == Phase::kNorm ? CompareNormPhase(shown.rank, *shown.scalars)
                                       : CompareMicroBatchPhase(shown.rank, *shown.scalars);
  }

 private:
  std::optional<Finding> CompareTensor(int rank, const TensorRecord& record) const {
    const std::span<const float> whole = tensors_.Of(record.what, record.step, record.parameter);
    const auto expected = whole.subspan(static_cast<size_t>(record.interval.begin),
                                        static_cast<size_t>(record.interval.end - record.interval.begin));
    if (record.values.empty()) return CompareHash(rank, record, expected);
    const auto difference = DifferenceOf(expected, record.values);
    if (!difference) return std::nullopt;
    Divergence divergence = DivergenceAt(c_.experiment, rank, record, expected, *difference);
    Explain(divergence,
            HintFor({whole, tensors_.Before(record.what, record.step, record.parameter), record.interval.begin,
                     record.values, c_.data_ranks(), c_.experiment.micro_batches, c_.replicas,
                     c_.experiment.curvature != 0, ExpertsBeside(c_.experiment, record.parameter)}));
    divergence.causes = CausesOfTensor(record);
    return Differs(std::move(divergence));
  }

  /// The values with which an engine is opened that is to load.
  std::vector<float> AfterOpenForLoad(const TensorRecord& record) const {
    const std::string what = WithoutResume(record.what);
    const std::span<const float> first = tensors_.Of(what, -1, record.parameter);
    std::vector<float> opened(first.begin(), first.end());
    if (what != "parameter" && what != "master") return opened;
    for (float& value : opened) value = BeforeLoad(value);
    return opened;
  }

  /// What the tensor's own values say.
  std::vector<std::string> CausesOfTensor(const TensorRecord& record) const {
    const auto differs_only_to = [&](std::span<const float> other) {
      const std::span<const float> right = tensors_.Of(record.what, record.step, record.parameter);
      for (size_t i = 0; i < record.values.size(); ++i) {
        const size_t element = static_cast<size_t>(record.interval.begin) + i;
        const bool is_right = CanonicalBits(record.values[i]) == CanonicalBits(right[element]);
        if (!is_right && CanonicalBits(record.values[i]) != CanonicalBits(other[element])) return false;
      }
      return true;
    };
    const Experiment& e = c_.experiment;
    if (IsAfterResume(record.what)) {
      if (!differs_only_to(AfterOpenForLoad(record))) return {};
      const bool is_moment = ClassOf(record.what) == TensorClass::kState && WithoutResume(record.what) != "master";
      return {std::string(is_moment ? "state" : "parameters") + " of the checkpoint did not come back: as after open"};
    }
    const bool rests = record.step >= 0 && !IsUpdated(e, record.parameter, record.step);
    if (rests && record.phase != Phase::kGradient && e.roles.HasState(record.parameter) &&
        !differs_only_to(tensors_.Before(record.what, record.step, record.parameter)))
      return {e.roles.IsFrozen(record.parameter, record.step) ? "a frozen parameter was updated"
                                                              : "a parameter without a gradient was updated"};
    return {};
  }

  std::optional<Finding> CompareHash(int rank, const TensorRecord& record, std::span<const float> expected) const {
    if (expected.empty() || record.hash == HashOf(expected)) return std::nullopt;
    return Found(fmt::format(
        "{} {} on rank {} differs from the reference {} by its hash (expected {}, got {}); its values were not sent",
        TensorName(c_.experiment, record.what, record.parameter), Text(record.interval), rank, InStep(record.step),
        HashOf(expected), record.hash));
  }

  const StepTrace& TraceOf(const StepScalars& got) const { return expected_.steps[static_cast<size_t>(got.step)]; }

  std::optional<Finding> CompareMicroBatchPhase(int rank, const StepScalars& got) const {
    const float scale = TraceOf(got).loss_scale;
    if (options_.scaling && CanonicalBits(got.loss_scale) != CanonicalBits(scale)) {
      return Differs(ScalarDivergence(got.step, Phase::kMicroBatch, rank, "loss_scale", scale, got.loss_scale));
    }
    return options_.losses ? CompareLosses(rank, got) : std::nullopt;
  }

  std::optional<Finding> CompareNormPhase(int rank, const StepScalars& got) const {
    if (options_.scaling) {
      if (auto finding = CompareSkip(rank, got)) return finding;
    }
    return options_.norm ? CompareNorm(rank, got) : std::nullopt;
  }

  std::optional<Finding> CompareSkip(int rank, const StepScalars& got) const {
    const bool expected = TraceOf(got).skipped;
    if (got.skipped == expected) return std::nullopt;
    Finding finding = Differs(ScalarDivergence(got.step, Phase::kNorm, rank, "skipped", expected, got.skipped));
    const std::string others = SkippedBySome(ranks_, got.step);
    if (!others.empty())
      finding.sentence = fmt::format("{}: expected all to {} it", others, expected ? "skip" : "take");
    return finding;
  }

  std::optional<Finding> CompareNorm(int rank, const StepScalars& got) const {
    const StepTrace& trace = TraceOf(got);
    const bool is_nan = got.grad_norm != got.grad_norm;
    const bool not_computed = is_nan && c_.experiment.max_norm == 0;  // allowed where nothing is clipped
    if (!not_computed && CanonicalBits(got.grad_norm) != CanonicalBits(trace.grad_norm)) {
      Finding finding = ScalarDiffers(rank, got.step, "grad_norm", trace.grad_norm, got.grad_norm);
      finding.divergence->causes = CausesOfNorm(c_.experiment, trace, ranks_, got.grad_norm);
      return finding;
    }
    if (!trace.skipped && CanonicalBits(got.clip_coefficient) != CanonicalBits(trace.clip_coefficient)) {
      return ScalarDiffers(rank, got.step, "clip_coefficient", trace.clip_coefficient, got.clip_coefficient);
    }
    return std::nullopt;
  }

  Finding ScalarDiffers(int rank, int64_t step, const std::string& name, float expected, float got) const {
    Divergence divergence = ScalarDivergence(step, Phase::kNorm, rank, name, expected, got);
    Explain(divergence, FactorHint(expected, got, c_.data_ranks(), c_.experiment.micro_batches, c_.replicas));
    return Differs(std::move(divergence));
  }

  std::optional<Finding> CompareLosses(int rank, const StepScalars& got) const {
    if (c_.experiment.gradients != GradientSource::kModel) return std::nullopt;
    if (auto finding = CheckLossCount(c_.experiment, rank, got)) return finding;
    const auto micro_batches = static_cast<size_t>(c_.experiment.micro_batches);
    for (size_t k = 0; k < micro_batches; ++k) {
      const auto g = static_cast<size_t>(GlobalMicroBatch(c_, rank, static_cast<int64_t>(k)));
      const double expected = expected_.steps[static_cast<size_t>(got.step)].losses[g];
      auto divergence = LossDivergence(got.step, rank, k, expected, got.losses[k]);
      if (divergence) return Differs(*std::move(divergence));
    }
    return std::nullopt;
  }

  const Case& c_;
  const std::vector<RankObservation>& ranks_;
  const Expected& expected_;
  const ExpectedTensors tensors_;
  const CompareOptions& options_;
};

}  // namespace

bool CompareOptions::Wants(const TensorRecord& record) const {
  switch (*ClassOf(record.what)) {
    case TensorClass::kParameter: return parameters;
    case TensorClass::kState: return states;
    case TensorClass::kGradient: return gradient;
  }
  return true;
}

std::optional<Finding> CompareShown(const Case& c, const std::vector<RankObservation>& ranks, const Expected& expected,
                                    const CompareOptions& options) {
  const Comparison comparison(c, ranks, expected, options);
  for (const Shown& shown : InProgramOrder(ranks)) {
    if (auto finding = comparison.Compare(shown)) return finding;
  }
  return std::nullopt;
}

std::optional<Finding> CompareWithReference(const Case& c, const std::vector<RankObservation>& ranks,
                                            const Expected& expected, const CompareOptions& options) {
  if (auto finding = CheckWellFormed(c, ranks)) return finding;
  if (auto finding = CheckInputs(ranks, expected.input_hashes)) return finding;
  if (auto finding = CompareShown(c, ranks, expected, options)) return finding;
  return CheckComplete(c, ranks);
}

}  // namespace zerocts
