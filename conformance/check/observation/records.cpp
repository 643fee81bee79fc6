#include "conformance/check/observation/records.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/finding/sentences.hpp"

namespace zerocts {
namespace {

bool IsTensorOf(OptimizerKind optimizer, const std::string& what) {
  const std::vector<std::string> moments = MomentNames(optimizer);
  const std::string state = WithoutResume(what);
  const bool is_moment = ClassOf(what) == TensorClass::kState && state != "master";
  return is_moment ? std::count(moments.begin(), moments.end(), state) > 0 : ClassOf(what).has_value();
}

/// Buffers and tied names have no state; who takes no part in a step has no gradient in it; other experts are
/// elsewhere.
bool HasTensor(const Case& c, int rank, const TensorRecord& record) {
  const Experiment& e = c.experiment;
  if (!c.RankHas(rank, record.parameter)) return false;
  switch (*ClassOf(record.what)) {
    case TensorClass::kParameter: return true;
    case TensorClass::kState: return e.roles.HasState(record.parameter);
    case TensorClass::kGradient: return IsUpdated(e, record.parameter, record.step);
  }
  return true;
}

std::optional<Finding> CheckRecord(const Case& c, int rank, const TensorRecord& record) {
  const auto wrong = [&](const std::string& expected, const auto& got) {
    return Found(
        fmt::format("rank {} showed a tensor that the case does not have: expected {}, got {}", rank, expected, got));
  };
  const std::vector<ParameterSpec>& parameters = c.experiment.parameters;
  if (!IsTensorOf(c.experiment.optimizer, record.what)) {
    return wrong("a tensor of " + ToString(c.experiment.optimizer), record.what);
  }
  if (record.step < -1 || record.step >= c.experiment.steps) {
    return wrong(fmt::format("a step below {}", c.experiment.steps), record.step);
  }
  const bool of_a_step = record.what == "gradient" || record.what == "parameter_before_step";
  if (of_a_step && record.step < 0) return wrong(record.what + " of a step", record.step);
  if (IsAfterResume(record.what) && !ResumesAfter(c, record.step)) {
    return wrong("nothing that was loaded " + InStep(record.step), record.what);
  }
  if (DoneByOthers(c, record.step) && !IsAfterResume(record.what)) {
    return wrong("nothing but what was loaded " + InStep(record.step), record.what);
  }
  if (record.parameter < 0 || record.parameter >= static_cast<int>(parameters.size())) {
    return wrong(fmt::format("a parameter below {}", parameters.size()), record.parameter);
  }
  if (!HasTensor(c, rank, record)) {
    return wrong("a parameter that has " + record.what, parameters[static_cast<size_t>(record.parameter)].name);
  }
  const auto [begin, end] = record.interval;
  const ParameterSpec& parameter = parameters[static_cast<size_t>(record.parameter)];
  if (begin < 0 || begin > end || end > parameter.numel()) {
    return wrong(fmt::format("an interval of the {} elements of {}", parameter.numel(), parameter.name),
                 Text(record.interval));
  }
  if (ClassOf(record.what) == TensorClass::kParameter && end - begin != parameter.numel()) {
    return wrong(fmt::format("all {} elements of {}", parameter.numel(), parameter.name), Text(record.interval));
  }
  const bool hash_only = record.values.empty() && !record.hash.empty();
  if (!hash_only && static_cast<int64_t>(record.values.size()) != end - begin) {
    return wrong(fmt::format("{} values for elements {} of {}", end - begin, Text(record.interval), parameter.name),
                 record.values.size());
  }
  return std::nullopt;
}

/// Which elements were shown.
class ShownElements {
 public:
  explicit ShownElements(const std::vector<RankObservation>& ranks) {
    for (const RankObservation& rank : ranks) {
      for (const TensorRecord& record : rank.tensors) {
        pieces_.push_back({{rank.rank, record.step, record.parameter, record.what}, record.interval});
        if (ClassOf(record.what) != TensorClass::kParameter) states_.insert(WithoutResume(record.what));
      }
    }
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return std::tie(a.tensor, a.interval.begin) < std::tie(b.tensor, b.interval.begin);
    });
  }

  /// The states that were shown of owned intervals: optimizer states and the gradient.
  const std::set<std::string>& states() const { return states_; }

  bool Cover(int rank, int64_t step, int parameter, std::string_view what, const Interval& wanted) const {
    const Tensor tensor = {rank, step, parameter, what};
    int64_t covered = wanted.begin;
    auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), tensor,
                                  [](const Piece& p, const Tensor& t) { return p.tensor < t; });
    for (; piece != pieces_.end() && piece->tensor == tensor && piece->interval.begin <= covered; ++piece) {
      covered = std::max(covered, piece->interval.end);
    }
    return covered >= wanted.end;
  }

 private:
  using Tensor = std::tuple<int, int64_t, int, std::string_view>;  // rank, step, parameter, what
  struct Piece {
    Tensor tensor;
    Interval interval;
  };

  std::vector<Piece> pieces_;  // ascending
  std::set<std::string> states_;
};

/// What must be shown of whole parameters at one step.
std::vector<std::string> WantedParameterReads(const Case& c, int64_t step) {
  if (!c.observe_parameters) return {};
  std::vector<std::string> wanted;
  if (!DoneByOthers(c, step)) {
    wanted.push_back("parameter");
    if (step >= 0 && c.read_twice) wanted.push_back("parameter_again");
    if (ReadsWithin(c, step)) wanted.push_back("parameter_before_step");
  }
  if (ResumesAfter(c, step)) wanted.push_back(AfterResume("parameter"));
  return wanted;
}

/// The names by which a state that some rank showed after some step is called at this step.
std::vector<std::string> WantedStateReads(const Case& c, int64_t step, int parameter, const std::string& state) {
  if (state == "gradient") {
    const bool has_it = IsUpdated(c.experiment, parameter, step) && !DoneByOthers(c, step);
    return has_it ? std::vector{state} : std::vector<std::string>{};
  }
  std::vector<std::string> wanted;
  if (!DoneByOthers(c, step)) wanted.push_back(state);
  if (ResumesAfter(c, step)) wanted.push_back(AfterResume(state));
  return wanted;
}

}  // namespace

std::optional<Finding> CheckWellFormed(const Case& c, const std::vector<RankObservation>& ranks) {
  if (static_cast<int>(ranks.size()) != c.world_size()) {
    return Found(fmt::format("{} ranks were observed: expected {}", ranks.size(), c.world_size()));
  }
  for (size_t r = 0; r < ranks.size(); ++r) {
    const int rank = ranks[r].rank;
    if (rank != static_cast<int>(r)) return Found(fmt::format("rank {} was observed in place of rank {}", rank, r));
    for (const TensorRecord& record : ranks[r].tensors) {
      if (auto finding = CheckRecord(c, rank, record)) return finding;
    }
    for (const StepScalars& scalars : ranks[r].scalars) {
      if (scalars.step < 0 || DoneByOthers(c, scalars.step) || scalars.step >= c.experiment.steps) {
        return Found(fmt::format("rank {} reported the norm of step {}: expected a step from {} to {}", r, scalars.step,
                                 FirstStep(c), c.experiment.steps - 1));
      }
    }
  }
  return std::nullopt;
}

std::optional<Finding> CheckInputs(const std::vector<RankObservation>& ranks,
                                   const std::vector<std::string>& input_hashes) {
  for (const RankObservation& rank : ranks) {
    const std::string& wanted = input_hashes[static_cast<size_t>(rank.rank)];
    if (rank.input_hash == wanted) continue;
    return Found(
        fmt::format("rank {} was not fed this case: expected inputs with hash {}, got {}; is it another build?",
                    rank.rank, wanted, rank.input_hash));
  }
  return std::nullopt;
}

std::optional<Finding> CheckLossCount(const Experiment& experiment, int rank, const StepScalars& scalars) {
  const auto expected = static_cast<size_t>(experiment.micro_batches);
  if (scalars.losses.size() == expected) return std::nullopt;
  return Found(fmt::format("rank {} reported {} losses in step {}: expected {}, one per micro-batch", rank,
                           scalars.losses.size(), scalars.step, expected));
}

std::optional<Finding> CheckComplete(const Case& c, const std::vector<RankObservation>& ranks) {
  const ShownElements shown(ranks);
  const auto& parameters = c.experiment.parameters;
  const auto missing = [&](int rank, std::string_view what, int p, int64_t step) {
    return Found(fmt::format("rank {} did not show {} {}: expected all of its elements", rank,
                             TensorName(c.experiment, std::string(what), p), InStep(step)));
  };
  for (const RankObservation& rank : ranks) {
    const auto calls = static_cast<int64_t>(c.extra_calls.size());
    if (rank.extra_calls == calls) continue;
    return Found(fmt::format("rank {} made {} extra calls: expected {}; is its client another release?", rank.rank,
                             rank.extra_calls, calls));
  }
  for (const RankObservation& rank : ranks) {
    if (!c.observe_states || rank.owned.size() == parameters.size()) continue;
    return Found(fmt::format("rank {} reported what it owns of {} parameters: expected {}", rank.rank,
                             rank.owned.size(), parameters.size()));
  }
  for (int64_t step = c.observe_last_step_only ? c.experiment.steps - 1 : -1; step < c.experiment.steps; ++step) {
    for (const RankObservation& rank : ranks) {
      for (int p = 0; p < static_cast<int>(parameters.size()); ++p) {
        if (!c.RankHas(rank.rank, p)) continue;
        for (const std::string& what : WantedParameterReads(c, step)) {
          const Interval all = {0, parameters[p].numel()};
          if (!shown.Cover(rank.rank, step, p, what, all)) return missing(rank.rank, what, p, step);
        }
        if (step < 0 || !c.observe_states) continue;
        for (const Interval& owned : rank.owned[p]) {
          for (const std::string& state : shown.states()) {
            for (const std::string& what : WantedStateReads(c, step, p, state)) {
              if (!shown.Cover(rank.rank, step, p, what, owned)) return missing(rank.rank, what, p, step);
            }
          }
        }
      }
      const auto of_step = [&](const StepScalars& scalars) { return scalars.step == step; };
      if (step >= FirstStep(c) && std::none_of(rank.scalars.begin(), rank.scalars.end(), of_step)) {
        return Found(fmt::format("rank {} did not tell its norm and clip coefficient {}", rank.rank, InStep(step)));
      }
    }
  }
  return std::nullopt;
}

}  // namespace zerocts
