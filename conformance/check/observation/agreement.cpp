#include "conformance/check/observation/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/finding/difference.hpp"
#include "conformance/check/observation/records.hpp"
#include "conformance/check/observation/step_scalars.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

using ParameterKey = std::tuple<int64_t, int>;  // step, parameter

/// Parameters as one rank reads them.
std::map<ParameterKey, const TensorRecord*> ParameterRecordsOf(const RankObservation& rank) {
  std::map<ParameterKey, const TensorRecord*> parameters;
  for (const TensorRecord& record : rank.tensors) {
    if (record.what == "parameter") parameters[{record.step, record.parameter}] = &record;
  }
  return parameters;
}

std::string When(int64_t step) { return step < 0 ? "after load" : fmt::format("after step {}", step); }

class Agreement {
 public:
  Agreement(const Case& c, const std::vector<RankObservation>& ranks) : c_(c), ranks_(ranks) {
    for (const RankObservation& rank : ranks) parameters_.push_back(ParameterRecordsOf(rank));
  }

  std::optional<Finding> CheckStep(int64_t step) const {
    for (const RankObservation& rank : ranks_) {
      if (auto finding = CheckScalars(step, rank)) return finding;
    }
    for (const RankObservation& rank : ranks_) {
      if (auto finding = CheckParameters(step, rank)) return finding;
    }
    for (const RankObservation& owner : ranks_) {
      if (auto finding = CheckMaster(step, owner)) return finding;
    }
    return std::nullopt;
  }

 private:
  std::optional<Finding> CheckScalars(int64_t step, const RankObservation& rank) const {
    for (const StepScalars& first : ranks_[0].scalars) {
      for (const StepScalars& got : rank.scalars) {
        if (first.step != step || got.step != step) continue;
        const std::vector<NamedScalar> expected = ScalarsOf(first), shown = ScalarsOf(got);
        for (size_t i = 0; i < std::min(expected.size(), shown.size()); ++i) {
          if (auto finding = CheckScalar(step, rank.rank, expected[i], shown[i].value)) return finding;
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Finding> CheckScalar(int64_t step, int rank, const NamedScalar& first, float got) const {
    if (CanonicalBits(first.value) == CanonicalBits(got)) return std::nullopt;
    const std::string sentence =
        first.name == "skipped" ? SkippedBySome(ranks_, step) + ": expected all ranks to do the same"
                                : fmt::format("ranks 0 and {} do not agree on {} {}", rank, first.name, When(step));
    return Finding{sentence, ScalarDivergence(step, first.phase, rank, first.name, first.value, got)};
  }

  std::optional<Finding> CheckParameters(int64_t step, const RankObservation& rank) const {
    for (int p = 0; p < static_cast<int>(c_.experiment.parameters.size()); ++p) {
      const int first_rank = FirstRankWith(p);
      const auto& of_first = parameters_[static_cast<size_t>(first_rank)];
      const auto first = of_first.find({step, p});
      const auto got = parameters_[static_cast<size_t>(rank.rank)].find({step, p});
      if (first == of_first.end() || got == parameters_[static_cast<size_t>(rank.rank)].end()) continue;
      if (auto finding = CheckSame(first_rank, rank.rank, *first->second, *got->second)) return finding;
    }
    return std::nullopt;
  }

  int FirstRankWith(int parameter) const {
    int rank = 0;
    while (!c_.RankHas(rank, parameter)) ++rank;
    return rank;
  }

  std::optional<Finding> CheckSame(int first_rank, int rank, const TensorRecord& first, const TensorRecord& got) const {
    const std::string sentence = fmt::format("ranks {} and {} do not hold the same bits of {} {}", first_rank, rank,
                                             TensorName(c_.experiment, got.what, got.parameter), When(got.step));
    if (first.values.empty() || got.values.empty()) {
      return first.hash == got.hash ? std::nullopt : std::optional(Finding{sentence, std::nullopt});
    }
    const auto difference = DifferenceOf(first.values, got.values);
    if (!difference) return std::nullopt;
    Divergence divergence = DivergenceAt(c_.experiment, rank, got, first.values, *difference);
    divergence.note = fmt::format("expected is what rank {} holds; {}", first_rank, Groups(got.step, got.parameter));
    return Finding{sentence, std::move(divergence)};
  }

  /// "same bits on ranks {0} {1,2}".
  std::string Groups(int64_t step, int parameter) const {
    std::vector<std::pair<const TensorRecord*, std::string>> groups;
    for (const RankObservation& rank : ranks_) {
      const auto found = parameters_[static_cast<size_t>(rank.rank)].find({step, parameter});
      if (found == parameters_[static_cast<size_t>(rank.rank)].end()) continue;
      const TensorRecord& record = *found->second;
      const auto same = [&](const auto& group) { return !DifferenceOf(group.first->values, record.values); };
      const auto group = std::find_if(groups.begin(), groups.end(), same);
      if (group == groups.end()) {
        groups.emplace_back(&record, std::to_string(rank.rank));
      } else {
        group->second += fmt::format(",{}", rank.rank);
      }
    }
    std::string text = "same bits on ranks";
    for (const auto& [record, members] : groups) text += fmt::format(" {{{}}}", members);
    return text;
  }

  std::optional<Finding> CheckMaster(int64_t step, const RankObservation& owner) const {
    for (const TensorRecord& master : owner.tensors) {
      if (master.what != "master" || master.step != step || master.values.empty()) continue;
      const auto seen = parameters_[static_cast<size_t>(owner.rank)].find({step, master.parameter});
      if (seen == parameters_[static_cast<size_t>(owner.rank)].end() || seen->second->values.empty()) continue;
      if (auto finding = CheckCast(owner.rank, master, *seen->second)) return finding;
    }
    return std::nullopt;
  }

  std::optional<Finding> CheckCast(int rank, const TensorRecord& master, const TensorRecord& parameter) const {
    std::vector<float> cast = master.values;
    const Precision precision = PrecisionOf(c_.experiment, master.parameter);
    if (precision == Precision::kBf16) {
      for (float& value : cast) value = RoundToBf16(value);
    }
    TensorRecord piece = parameter;
    piece.interval = master.interval;
    const auto begin = parameter.values.begin() + (master.interval.begin - parameter.interval.begin);
    piece.values.assign(begin, begin + static_cast<int64_t>(cast.size()));
    const auto difference = DifferenceOf(cast, piece.values);
    if (!difference) return std::nullopt;
    Divergence divergence = DivergenceAt(c_.experiment, rank, piece, cast, *difference);
    divergence.note = "expected is the owner's master weight in " + ToString(precision);
    return Finding{fmt::format("{} {} is not the master weight of its owner, rank {}",
                               TensorName(c_.experiment, "parameter", master.parameter), When(master.step), rank),
                   std::move(divergence)};
  }

  const Case& c_;
  const std::vector<RankObservation>& ranks_;
  std::vector<std::map<ParameterKey, const TensorRecord*>> parameters_;  // [world_size]
};

}  // namespace

std::optional<Finding> CheckAgreement(const Case& c, const std::vector<RankObservation>& ranks) {
  if (auto finding = CheckWellFormed(c, ranks)) return finding;
  if (auto finding = CheckComplete(c, ranks)) return finding;
  const Agreement agreement(c, ranks);
  for (int64_t step = -1; step < c.experiment.steps; ++step) {
    if (auto finding = agreement.CheckStep(step)) return finding;
  }
  return std::nullopt;
}

}  // namespace zerocts
