#include "bench/subject/subject_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

#include "bench/engine/step_bound.hpp"
#include "bench/subject/subject_series.hpp"
#include "bench/timing/statistics.hpp"
#include "bench/timing/timing.hpp"

namespace zerocts {
namespace {

constexpr int kSeveral = 2;       // threads are timed by the wall clock, see timing.hpp
constexpr int kMostRepeats = 20;  // of a bound that was disturbed

/// A member and how it takes its turn.
struct Turn {
  BenchMember member;
  std::function<void(BenchMember&)> run;
};

Turn TurnOfGroup(const BenchPlan& plan, const BenchSide& side, int ranks, const std::string& label) {
  BenchSize size = plan.size;
  size.ranks = ranks;
  const auto group = std::make_shared<BenchGroup>(side, size, plan.launcher, plan.settings);
  return {{.label = label, .subject = side.name, .arrangement = side.arrangement, .ranks = ranks},
          [group](BenchMember& member) { member.rounds.push_back(group->Run()); }};
}

/// Its loops run on as many threads as there are ranks, at once (step_bound.hpp).
Turn TurnOfBound(const BenchPlan& plan) {
  const BenchArrangement& arrangement = plan.subjects.front().arrangement;
  const Workload workload{.precision = arrangement.precision, .stage = arrangement.stage};
  auto bounds = std::make_shared<std::vector<std::unique_ptr<StepBound>>>();
  const auto run = [=, ranks = plan.size.ranks, numel = plan.size.model.numel()](BenchMember& member) {
    while (static_cast<int>(bounds->size()) < ranks) {
      bounds->push_back(std::make_unique<StepBound>(workload, numel, ranks));
    }
    member.bound_seconds.push_back(SecondsOf(kSeveral, [&] {
      std::vector<std::jthread> threads;
      for (const auto& bound : *bounds) {
        threads.emplace_back([&] { bound->ReduceScatter(), bound->Update(), bound->AllGather(); });
      }
    }));
  };
  return {{.label = "bound: its bytes moved once",
           .subject = kBoundAsSubject,
           .arrangement = arrangement,
           .ranks = plan.size.ranks},
          run};
}

Turn TurnOfSharded(const BenchPlan& plan, const BenchSide& side) {
  return TurnOfGroup(plan, side, plan.size.ranks, fmt::format("{}, stage {}", side.name, side.arrangement.stage));
}

std::vector<Turn> TurnsOf(const BenchPlan& plan) {
  std::vector<Turn> turns;
  for (const BenchSide& subject : plan.subjects) {
    turns.push_back(TurnOfSharded(plan, subject));
    turns.back().member.is_subject = true;
    if (subject.arrangement.stage == 0) continue;
    const Unsharded unsharded = WithoutSharding(subject, plan.size.ranks);
    turns.push_back(TurnOfGroup(plan, unsharded.side, unsharded.ranks, unsharded.label));
  }
  if (std::ranges::find(plan.subjects, plan.native.name, &BenchSide::name) == plan.subjects.end()) {
    turns.push_back(TurnOfSharded(plan, plan.native));
  }
  if (!plan.size.trains) turns.push_back(TurnOfBound(plan));  // a step's bytes bound no forward and backward pass
  return turns;
}

/// The least of the medians that are printed above the bound: of those that shard in its stage. Nothing: all failed.
std::optional<double> StepsAboveBound(const std::vector<Turn>& turns) {
  const BenchMember& bound = turns.back().member;
  std::optional<double> least;
  for (const auto& [member, run] : turns) {
    if (member.rounds.empty() || !member.error.empty() || member.ranks != bound.ranks ||
        member.arrangement.stage != bound.arrangement.stage)
      continue;
    const double median = MedianOf(SeriesOf(member, &StepSeconds::total));
    least = std::min(least.value_or(median), median);
  }
  return least;
}

}  // namespace

void KeepBestTime(BenchMember& bound, double steps, const std::function<void(BenchMember&)>& measure) {
  const auto best = [&] { return *std::ranges::min_element(bound.bound_seconds); };
  for (int repeats = 0; best() > steps && repeats < kMostRepeats; ++repeats) measure(bound);
  if (best() > steps) {
    bound.error = "not measured, machine busy";
    bound.bound_seconds.clear();
  } else {
    bound.bound_seconds = {best()};
  }
}

std::vector<BenchMember> MeasureMembers(const BenchPlan& plan, const std::function<void(int, int)>& progress) {
  std::vector<Turn> turns = TurnsOf(plan);
  for (int round = 0; round < plan.rounds; ++round) {
    for (Turn& turn : turns) {
      if (!turn.member.error.empty()) continue;
      try {
        turn.run(turn.member);
      } catch (const std::runtime_error& error) {
        turn.member.error = error.what();
        turn.member.lost_ranks = dynamic_cast<const RanksLost*>(&error) != nullptr;
      }
    }
    progress(round + 1, plan.rounds);
  }
  if (Turn& last = turns.back(); !last.member.bound_seconds.empty()) {
    KeepBestTime(last.member, StepsAboveBound(turns).value_or(std::numeric_limits<double>::infinity()), last.run);
  }
  std::vector<BenchMember> members;
  for (Turn& turn : turns) members.push_back(std::move(turn.member));
  return members;
}

}  // namespace zerocts
