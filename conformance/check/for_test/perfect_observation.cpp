#include "conformance/check/for_test/perfect_observation.hpp"

#include <algorithm>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/case/tensor_parts.hpp"
#include "conformance/cases/draws/equal_shards.hpp"
#include "conformance/cases/inputs/rank_inputs.hpp"
#include "conformance/check/cost/traffic_bounds.hpp"
#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/for_test/perfect_events.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

class Rank {
 public:
  Rank(const Case& c, const Expected& expected, const Ownership& owned, int rank)
      : c_(c), expected_(expected), tensors_(c.experiment, expected) {
    shown_.rank = rank;
    shown_.input_hash = expected.input_hashes[static_cast<size_t>(rank)];
    shown_.owned = owned[static_cast<size_t>(rank)];
    shown_.extra_calls = static_cast<int64_t>(c.extra_calls.size());
  }

  RankObservation Show() {
    for (int64_t step = -1; step < c_.experiment.steps; ++step) {
      if (c_.observe_last_step_only && step + 1 < c_.experiment.steps) continue;
      ShowParameters(step);
      if (step < 0) continue;
      ShowStates(step);
      ShowScalars(step);
      if (ResumesAfter(c_, step)) ShowResumed(step);
    }
    ForgetWhatOthersDid();
    ShowMemory();
    return std::move(shown_);
  }

 private:
  int parameters() const { return static_cast<int>(c_.experiment.parameters.size()); }

  void Put(const std::string& what, int64_t step, int p, const Interval& interval) {
    const auto piece =
        tensors_.Of(what, step, p)
            .subspan(static_cast<size_t>(interval.begin), static_cast<size_t>(interval.end - interval.begin));
    shown_.tensors.push_back(
        {step, PhaseOf(what, step), what, p, interval, HashOf(piece), {piece.begin(), piece.end()}});
  }

  void ShowParameters(int64_t step) {
    if (!c_.observe_parameters) return;
    for (int p = 0; p < parameters(); ++p) {
      if (!c_.RankHas(shown_.rank, p)) continue;
      const Interval whole{0, c_.experiment.parameters[static_cast<size_t>(p)].numel()};
      Put("parameter", step, p, whole);
      if (step >= 0 && c_.read_twice) Put("parameter_again", step, p, whole);
      if (ReadsWithin(c_, step)) Put("parameter_before_step", step, p, whole);
    }
  }

  void ShowStates(int64_t step) {
    std::vector<std::string> masters_and_moments;
    if (c_.observe_states) {
      masters_and_moments = MomentNames(c_.experiment.optimizer);
      masters_and_moments.push_back("master");
    }
    for (int p = 0; p < parameters(); ++p) {
      std::vector<std::string> states = masters_and_moments;
      if (c_.observe_gradient && IsUpdated(c_.experiment, p, step)) states.push_back("gradient");
      for (const Interval& interval : shown_.owned[static_cast<size_t>(p)]) {
        for (const std::string& state : states) Put(state, step, p, interval);
      }
    }
  }

  /// Once more what was shown at this step, but for what is of the step itself.
  void ShowResumed(int64_t step) {
    const std::vector<TensorRecord> shown = shown_.tensors;
    for (const TensorRecord& record : shown) {
      const std::string what = AfterResume(record.what);
      if (record.step == step && ClassOf(what)) Put(what, step, record.parameter, record.interval);
    }
  }

  void ForgetWhatOthersDid() {
    const auto by_others = [this](const auto& shown) { return DoneByOthers(c_, shown.step); };
    std::erase_if(shown_.tensors,
                  [&](const TensorRecord& record) { return by_others(record) && !IsAfterResume(record.what); });
    std::erase_if(shown_.scalars, by_others);
    std::erase_if(shown_.traffic, by_others);
    std::erase_if(shown_.timeline, by_others);
  }

  void ShowScalars(int64_t step) {
    const StepTrace& trace = expected_.steps[static_cast<size_t>(step)];
    StepScalars scalars{step, trace.grad_norm, trace.clip_coefficient, {}, trace.skipped, trace.loss_scale};
    if (c_.experiment.gradients == GradientSource::kModel) {
      const auto first = trace.losses.begin() + GlobalMicroBatch(c_, shown_.rank, 0);
      scalars.losses.assign(first, first + c_.experiment.micro_batches);
    }
    shown_.scalars.push_back(scalars);
    if (c_.observe_traffic) shown_.traffic.push_back({.step = step, .reduce_scatter = LeastTraffic(step)});
    if (c_.observe_events) TellPerfectEvents(c_, step, shown_);
    if (c_.observe_timeline) ShowTimeline(step);
  }

  /// Each event of the step lasts for a moment.
  void ShowTimeline(int64_t step) {
    for (const RankEvent& event : shown_.events) {
      if (event.step == step && (event.kind == EventKind::kBegin || event.kind == EventKind::kCollective))
        shown_.timeline.push_back({.step = step, .name = event.name, .index = event.index});
    }
  }

  /// This rank's share, rounded up.
  StepTraffic::Count LeastTraffic(int64_t step) const {
    const auto ranks = static_cast<uint64_t>(c_.world_size());
    const uint64_t bytes = (LeastTrafficOf(c_, step) + ranks - 1) / ranks;
    return {.calls = bytes > 0, .sent_bytes = bytes, .received_bytes = bytes};
  }

  void ShowMemory() {
    uint64_t owned = 0, parameter_bytes = 0, whole_gradients = 0;
    for (int p = 0; p < parameters(); ++p) {
      const uint64_t element_bytes = PrecisionOf(c_.experiment, p) == Precision::kBf16 ? 2 : 4;
      const auto numel = static_cast<uint64_t>(c_.experiment.parameters[static_cast<size_t>(p)].numel());
      uint64_t own = 0;
      for (const Interval& interval : shown_.owned[static_cast<size_t>(p)]) {
        own += static_cast<uint64_t>(interval.end - interval.begin);
      }
      owned += own;
      if (!c_.RankHas(shown_.rank, p)) continue;
      whole_gradients += numel;
      const bool sharded = c_.stage == 3 && !c_.experiment.roles.IsBuffer(p);
      parameter_bytes += (sharded ? own : numel) * element_bytes;
    }
    const uint64_t gradient_bytes = 4 * (c_.stage >= 2 ? owned : whole_gradients);
    const uint64_t states = MomentNames(c_.experiment.optimizer).size() + 1;  // and the master
    shown_.reported = {parameter_bytes, gradient_bytes, 4 * states * owned, 0};
    shown_.allocated = shown_.reported;
    shown_.allocated_peak_bytes = shown_.reported.total();
    const uint64_t total = shown_.reported.total();
    shown_.memory_plan = MemoryPlan{shown_.reported, total, total, c_.offload == Offload::kNone ? 0 : total};
    shown_.process_heap_growth_bytes = shown_.reported.total();
  }

  const Case& c_;
  const Expected& expected_;
  const ExpectedTensors tensors_;
  RankObservation shown_;
};

/// What has optimizer state of the dense parameters, or of those of one expert: of each parameter what the tensor rank
/// has.
std::vector<std::vector<Interval>> StatefulParts(const Case& c, int tensor_rank, int expert) {
  std::vector<std::vector<Interval>> parts = PartsOfTensorRank(c, tensor_rank);
  for (int p = 0; p < static_cast<int>(parts.size()); ++p) {
    if (c.experiment.roles.HasState(p) && c.experiment.experts.ExpertOf(p) == expert) continue;
    parts[static_cast<size_t>(p)].clear();
  }
  return parts;
}

int64_t NumelOf(const std::vector<std::vector<Interval>>& parts) {
  int64_t numel = 0;
  for (const std::vector<Interval>& part : parts) {
    for (const Interval& interval : part) numel += interval.end - interval.begin;
  }
  return numel;
}

/// Adds elements [begin, end) of the parts, laid end to end.
void AddPieces(const std::vector<std::vector<Interval>>& parts, int64_t begin, int64_t end,
               std::vector<std::vector<Interval>>& owned) {
  int64_t passed = 0;
  for (size_t p = 0; p < parts.size(); ++p) {
    for (const Interval& interval : parts[p]) {
      const int64_t shift = interval.begin - passed, numel = interval.end - interval.begin;
      const int64_t first = std::max(begin, passed), last = std::min(end, passed + numel);
      if (first < last) owned[p].push_back({first + shift, last + shift});
      passed += numel;
    }
  }
}

/// One of equal shards of the parts; in stage 0 all of them.
void AddShard(const Case& c, const std::vector<std::vector<Interval>>& parts, int shards, int shard,
              std::vector<std::vector<Interval>>& owned) {
  const int64_t total = NumelOf(parts);
  const std::vector<int64_t> bounds = EqualShardBoundaries(total, shards);
  const auto own = static_cast<size_t>(shard);
  AddPieces(parts, c.stage == 0 ? 0 : bounds[own], c.stage == 0 ? total : bounds[own + 1], owned);
}

}  // namespace

Ownership ContiguousOwnership(const Case& c) {
  const int experts = c.experiment.experts.count;
  Ownership owned;
  for (int rank = 0; rank < c.world_size(); ++rank) {
    const int tensor_rank = c.tensor_rank_of(rank);
    auto& of_rank = owned.emplace_back(c.experiment.parameters.size());
    AddShard(c, StatefulParts(c, tensor_rank, Experts::kDense), c.shards(), c.data_rank_of(rank) % c.shards(), of_rank);
    if (experts == 1) continue;
    AddShard(c, StatefulParts(c, tensor_rank, rank % experts), c.shards() / experts, rank % c.shards() / experts,
             of_rank);
  }
  return owned;
}

std::vector<RankObservation> PerfectObservation(const Case& c, const Expected& expected, const Ownership& owned) {
  std::vector<RankObservation> ranks;
  for (int rank = 0; rank < c.world_size(); ++rank) ranks.push_back(Rank(c, expected, owned, rank).Show());
  return ranks;
}

std::vector<RankObservation> PerfectObservation(const Case& c) {
  const Ownership owned = ContiguousOwnership(c);
  return PerfectObservation(c, ExpectedOf(c, OrderOf(c, owned)), owned);
}

}  // namespace zerocts
