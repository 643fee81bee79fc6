// P4 between the states of one plan: gradient shards (A), optimizer shards (B), parameter shards (C). Going A to B to C
// moves more than A to C exactly where the rank that updates an element has neither its gradient nor its parameter.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reference/plan/judge/judge_parts.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

std::vector<Run> RunsOf(const Plan& plan, const RankRuns& of_ranks, int rank) {
  std::vector<Run> runs;
  of_ranks.ForEach(rank, [&](const Run& run) {
    if (Needs(plan.model[run.tensor], State::kOptimizer)) runs.push_back(run);
  });
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return std::pair(a.tensor, a.begin) < std::pair(b.tensor, b.begin); });
  return runs;
}

/// The first element of `run` that is in none of `runs`, or run.end. `at` moves along with runs that ascend.
int64_t FirstMissing(const Run& run, const std::vector<Run>& runs, int64_t from) {
  int64_t position = from;
  auto next = std::partition_point(runs.begin(), runs.end(), [&](const Run& other) {
    return std::pair(other.tensor, other.end) <= std::pair(run.tensor, position);
  });
  for (; next != runs.end() && next->tensor == run.tensor && next->begin <= position; ++next)
    position = std::max(position, next->end);
  return std::min(position, run.end);
}

/// The first element of `run` in neither list, or run.end.
int64_t FirstInNeither(const Run& run, const std::vector<Run>& a, const std::vector<Run>& b) {
  int64_t position = run.begin;
  while (position < run.end) {
    const int64_t further = std::max(FirstMissing(run, a, position), FirstMissing(run, b, position));
    if (further == position) return position;
    position = further;
  }
  return run.end;
}

/// [state]
using RunsOfStates = std::array<RankRuns, 3>;

void JudgeRank(const Plan& plan, const RunsOfStates& states, int rank, Findings& findings) {
  const auto& [of_parameters, of_gradients, of_optimizer] = states;
  const std::vector<Run> gradients = RunsOf(plan, of_gradients, rank);
  const std::vector<Run> parameters = RunsOf(plan, of_parameters, rank);
  for (const Run& run : RunsOf(plan, of_optimizer, rank)) {
    const int64_t element = FirstInNeither(run, gradients, parameters);
    if (element == run.end) continue;
    findings.Add(Property::kComposability, run.tensor, element, {rank}, [] {
      return "the rank updates it and has neither its gradient nor its parameter: it travels twice where once is "
             "enough";
    });
  }
}

bool Sound(const Findings& findings) {
  for (const Property broken :
       {Property::kExtents, Property::kCoverage, Property::kDisjointness, Property::kInvertibility}) {
    if (findings.Count(broken) > 0) return false;
  }
  return true;
}

bool EqualOrWhole(const Plan& plan, const Sharding& optimizer, State state) {
  const Sharding* sharding = plan.sharding(state);
  return !sharding || sharding == &optimizer || *sharding == optimizer;
}

}  // namespace

void JudgeStates(const Plan& plan, Findings& findings) {
  const Sharding* optimizer = plan.sharding(State::kOptimizer);
  const bool whole = !plan.sharding(State::kGradients) || !plan.sharding(State::kParameters);
  if (whole || (optimizer && (EqualOrWhole(plan, *optimizer, State::kGradients) ||
                              EqualOrWhole(plan, *optimizer, State::kParameters))))
    return;
  if (!Sound(findings)) return;
  findings.Judging(State::kOptimizer);
  const RunsOfStates states = {RankRuns(plan, State::kParameters), RankRuns(plan, State::kGradients),
                               RankRuns(plan, State::kOptimizer)};
  for (int rank = 0; rank < plan.mesh.world_size(); ++rank) JudgeRank(plan, states, rank, findings);
}

}  // namespace zerocts::plan
