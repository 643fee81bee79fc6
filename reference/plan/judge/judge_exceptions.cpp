// Ranks that divide by a rule of their own: P5 is broken already, the others may be.
#include <fmt/format.h>

#include <algorithm>

#include "reference/plan/judge/judge_parts.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

std::vector<Run> RunsBy(const Judged& judged, const Division& division, const FlatRange& flat_range, const Rule& rule,
                        int shard) {
  std::vector<Run> runs;
  ForEachRun(judged.plan.model, flat_range, rule, PartsOf(division, judged.group), shard,
             [&](const Run& run) { runs.push_back(run); });
  return runs;
}

/// Replicas of the rank keep to the division's rule, so the rank must hold what they hold.
void CompareWithReplicas(const Judged& judged, const Division& division, const FlatRange& flat_range,
                         const Exception& exception, Findings& findings) {
  const int shard = judged.group.ShardOf(exception.rank);
  const std::vector<Run> own = RunsBy(judged, division, flat_range, exception.rule, shard);
  const std::vector<Run> of_replicas = RunsBy(judged, division, flat_range, division.rule, shard);
  if (own == of_replicas) return;
  const auto [a, b] = std::mismatch(own.begin(), own.end(), of_replicas.begin(), of_replicas.end());
  const Run& run = a != own.end() ? *a : *b;
  std::vector<int> ranks = judged.group.RanksOf(shard);
  findings.Add(Property::kConsistency, run.tensor, run.begin, ranks,
               [&] { return fmt::format("rank {} holds other elements than its replicas", exception.rank); });
}

void AddSpans(const Judged& judged, const Division& division, const FlatRange& flat_range, const Rule& rule, int shard,
              std::vector<Interval>& intervals) {
  ForEachSpan(judged.plan.model, flat_range, rule, PartsOf(division, judged.group), shard, [&](const Span& span) {
    intervals.push_back({span.begin, span.end, span.at, shard});
  });
}

/// Without replicas the rank's elements are its own: all shards together must still cover the flat range.
void JudgeTogether(const Judged& judged, const Division& division, const FlatRange& flat_range, Findings& findings) {
  std::vector<Interval> intervals;
  const ShardRules rules(division.rule);
  for (int shard = 0; shard < judged.group.shards(); ++shard) {
    const int rank = judged.group.FirstRankOf(shard);
    const auto own = std::find_if(division.exceptions.begin(), division.exceptions.end(),
                                  [&](const Exception& exception) { return exception.rank == rank; });
    AddSpans(judged, division, flat_range, own == division.exceptions.end() ? rules.Of(shard) : own->rule, shard,
             intervals);
  }
  JudgeIntervals(judged, flat_range, intervals, findings);
}

}  // namespace

void JudgeExceptions(const Judged& judged, const Division& division, const FlatRange& flat_range, Findings& findings) {
  if (flat_range.tensors.empty()) return;
  for (const Exception& exception : division.exceptions) {
    if (exception.rank < 0 || exception.rank >= judged.group.world_size()) {
      findings.Add(Property::kExtents, flat_range.tensors.front(), 0, {exception.rank}, [&] {
        return fmt::format("the plan has a rule for rank {}: expected one of the {} ranks", exception.rank,
                           judged.group.world_size());
      });
      return;
    }
    if (exception.rule == division.rule) continue;
    findings.Add(Property::kHomogeneity, flat_range.tensors.front(), 0, {exception.rank},
                 [] { return "the rank divides by another rule than the others of its group"; });
    if (judged.group.replicas() > 1) CompareWithReplicas(judged, division, flat_range, exception, findings);
  }
  if (judged.group.replicas() == 1) JudgeTogether(judged, division, flat_range, findings);
}

}  // namespace zerocts::plan
