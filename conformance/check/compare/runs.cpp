#include "conformance/check/compare/runs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "conformance/cases/inputs/rank_inputs.hpp"
#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/expected/program_order.hpp"
#include "conformance/check/finding/difference.hpp"
#include "conformance/check/finding/sentences.hpp"
#include "conformance/check/observation/records.hpp"
#include "conformance/check/observation/step_scalars.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

/// Whole tensors, put together from the pieces of all ranks.
class WholeTensors {
 public:
  WholeTensors(const Case& c, const std::vector<RankObservation>& ranks) {
    for (const RankObservation& rank : ranks) {
      for (const TensorRecord& record : rank.tensors) {
        Put(c.experiment.parameters[static_cast<size_t>(record.parameter)], record);
      }
    }
  }

  /// The elements of the record's interval; nothing when one of them was not shown.
  std::optional<std::span<const float>> PieceFor(const TensorRecord& record) const {
    const auto found = tensors_.find({record.step, record.what, record.parameter});
    if (found == tensors_.end()) return std::nullopt;
    const auto begin = static_cast<size_t>(record.interval.begin),
               numel = static_cast<size_t>(record.interval.end) - begin;
    const auto known = found->second.known.begin() + static_cast<int64_t>(begin);
    if (std::find(known, known + static_cast<int64_t>(numel), false) != known + static_cast<int64_t>(numel)) {
      return std::nullopt;
    }
    return std::span(found->second.values).subspan(begin, numel);
  }

 private:
  struct Tensor {
    std::vector<float> values;
    std::vector<bool> known;
  };

  void Put(const ParameterSpec& parameter, const TensorRecord& record) {
    Tensor& tensor = tensors_[{record.step, record.what, record.parameter}];
    tensor.values.resize(static_cast<size_t>(parameter.numel()));
    tensor.known.resize(static_cast<size_t>(parameter.numel()));
    std::copy(record.values.begin(), record.values.end(), tensor.values.begin() + record.interval.begin);
    std::fill_n(tensor.known.begin() + record.interval.begin, record.values.size(), true);
  }

  std::map<std::tuple<int64_t, std::string, int>, Tensor> tensors_;  // step, what, parameter
};

/// The two runs in a sentence.
struct RunNames {
  std::string first, second;
  std::function<std::string(const Divergence&)> sentence;  // that they differ
};

std::optional<Finding> ShownByOne(const Case& c, const TensorRecord& record, const std::string& by,
                                  const std::string& not_by) {
  return Found(fmt::format("{} {} was shown {} by {}, but not by {}: expected the same tensors from both",
                           TensorName(c.experiment, record.what, record.parameter), Text(record.interval),
                           InStep(record.step), by, not_by));
}

/// The loss of every micro-batch g in every step.
std::map<std::pair<int64_t, size_t>, double> LossesOf(const Case& c, const std::vector<RankObservation>& ranks) {
  std::map<std::pair<int64_t, size_t>, double> losses;
  for (const RankObservation& rank : ranks) {
    for (const StepScalars& step : rank.scalars) {
      for (size_t k = 0; k < step.losses.size(); ++k) {
        const int64_t g = GlobalMicroBatch(c, rank.rank, static_cast<int64_t>(k));
        losses[{step.step, static_cast<size_t>(g)}] = step.losses[k];
      }
    }
  }
  return losses;
}

class RunComparison {
 public:
  RunComparison(const Case& a, const std::vector<RankObservation>& ranks_a, const Case& b, const RunNames& names)
      : a_(a), b_(b), tensors_(a, ranks_a), losses_(LossesOf(a, ranks_a)), names_(names) {
    for (const StepScalars& scalars : ranks_a.front().scalars) scalars_[scalars.step] = scalars;
  }

  std::optional<Finding> Compare(const Shown& shown) const {
    if (shown.record) return CompareTensor(shown.rank, *shown.record);
    return shown.phase == Phase::kNorm ? CompareScalars(shown.rank, *shown.scalars)
                                       : CompareLosses(shown.rank, *shown.scalars);
  }

 private:
  Finding Differs(Divergence divergence) const {
    divergence.note += (divergence.note.empty() ? "" : "; ") + fmt::format("expected is what {} gave", names_.first);
    return {names_.sentence(divergence), std::move(divergence)};
  }

  std::optional<Finding> CompareTensor(int rank, const TensorRecord& record) const {
    const auto expected = tensors_.PieceFor(record);
    if (!expected) return ShownByOne(a_, record, names_.second, names_.first);
    const auto difference = DifferenceOf(*expected, record.values);
    if (!difference) return std::nullopt;
    return Differs(DivergenceAt(a_.experiment, rank, record, *expected, *difference));
  }

  std::optional<Finding> CompareScalars(int rank, const StepScalars& got) const {
    const auto first = scalars_.find(got.step);
    if (first == scalars_.end()) return std::nullopt;
    const StepScalars& expected = first->second;
    const std::vector<NamedScalar> wanted = ScalarsOf(expected), shown = ScalarsOf(got);
    for (size_t i = 0; i < std::min(wanted.size(), shown.size()); ++i) {
      if (CanonicalBits(wanted[i].value) == CanonicalBits(shown[i].value)) continue;
      return Differs(
          ScalarDivergence(got.step, wanted[i].phase, rank, wanted[i].name, wanted[i].value, shown[i].value));
    }
    return std::nullopt;
  }

  std::optional<Finding> CompareLosses(int rank, const StepScalars& got) const {
    const auto g = static_cast<size_t>(GlobalMicroBatch(b_, rank, 0));
    for (size_t k = 0; k < got.losses.size(); ++k) {
      const auto first = losses_.find({got.step, g + k});
      if (first == losses_.end()) continue;
      auto divergence = LossDivergence(got.step, rank, k, first->second, got.losses[k]);
      if (divergence) return Differs(*std::move(divergence));
    }
    return std::nullopt;
  }

  const Case &a_, &b_;
  const WholeTensors tensors_;
  const std::map<std::pair<int64_t, size_t>, double> losses_;
  std::map<int64_t, StepScalars> scalars_;  // of the first run's rank 0
  const RunNames& names_;
};

std::optional<Finding> CheckOneRun(const Case& c, const std::vector<RankObservation>& ranks) {
  if (auto finding = CheckWellFormed(c, ranks)) return finding;
  for (const RankObservation& rank : ranks) {
    for (const TensorRecord& record : rank.tensors) {
      if (static_cast<int64_t>(record.values.size()) == record.interval.end - record.interval.begin) continue;
      return Found(fmt::format("{} {} on rank {} came as a hash: expected its values",
                               TensorName(c.experiment, record.what, record.parameter), Text(record.interval),
                               rank.rank));
    }
  }
  return CheckComplete(c, ranks);
}

std::optional<Finding> CompareTwo(const Case& a, const std::vector<RankObservation>& ranks_a, const Case& b,
                                  const std::vector<RankObservation>& ranks_b, const RunNames& names) {
  if (auto finding = CheckOneRun(a, ranks_a)) return finding;
  if (auto finding = CheckOneRun(b, ranks_b)) return finding;
  const RunComparison comparison(a, ranks_a, b, names);
  for (const Shown& shown : InProgramOrder(ranks_b)) {
    if (auto finding = comparison.Compare(shown)) return finding;
  }
  const WholeTensors tensors_b(b, ranks_b);
  for (const Shown& shown : InProgramOrder(ranks_a)) {
    if (shown.record && !tensors_b.PieceFor(*shown.record)) {
      return ShownByOne(a, *shown.record, names.first, names.second);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> CompareRuns(const Case& a, const std::vector<RankObservation>& ranks_a, const Case& b,
                                   const std::vector<RankObservation>& ranks_b, const std::string& what_differs) {
  const auto sentence = [&](const Divergence& d) {
    return fmt::format("{} differs {} between two runs that differ in {} only", d.tensor, InStep(d.step), what_differs);
  };
  return CompareTwo(a, ranks_a, b, ranks_b, {"the first run", "the second run", sentence});
}

std::optional<Finding> CompareWithOneRank(const Case& c, const std::vector<RankObservation>& ranks, const Case& alone,
                                          const std::vector<RankObservation>& one_rank) {
  const bool twice_alone = c.world_size() == 1;
  const std::string first = twice_alone ? "one rank before" : "one rank",
                    second = twice_alone ? "one rank again" : fmt::format("{} ranks", c.world_size());
  const auto sentence = [&](const Divergence& d) {
    return fmt::format("{} differs {}: on {} {:.9g} (rank {}), on {} {:.9g}", d.tensor, InStep(d.step), second, d.got,
                       d.rank, first, d.expected);
  };
  return CompareTwo(alone, one_rank, c, ranks, {first, second, sentence});
}

}  // namespace zerocts
