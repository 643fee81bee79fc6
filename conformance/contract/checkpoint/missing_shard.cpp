// C-ZERO-088: what is missing from a checkpoint is an error of its load, on every rank.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/contract/checkpoint/spaces.hpp"
#include "conformance/host/rank_end.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.max_steps = 2;
  space.buckets = space.mesh = space.offload = space.buffers = true;
  space.checkpoint = CheckpointUse::kResume;
  space.damage = true;
  space.finish = [](Case& c) { GiveMomentumToAllOrNone(c.experiment); };
  space.keep = HasNoEmptyGroup;
  return space;
}

bool RefusedTheLoad(const RankReport& rank) { return rank.state.starts_with("refused load"); }

/// Loads without a word while another refuses; what it runs into later is no word about the checkpoint.
bool Loaded(const RankReport& rank) {
  return rank.state.starts_with("observed") || (rank.state.starts_with("refused ") && !RefusedTheLoad(rank));
}

/// Where nobody refuses the load, no rank has come so far.
std::vector<int> WhoLoaded(const RunResult& result) {
  std::vector<int> ranks;
  if (std::ranges::none_of(result.reports, RefusedTheLoad)) return ranks;
  for (const RankReport& rank : result.reports) {
    if (Loaded(rank)) ranks.push_back(rank.rank);
  }
  return ranks;
}

bool AllRefusedTheLoad(const RunResult& result) {
  return result.ending == Ending::kRefused && std::ranges::all_of(result.reports, RefusedTheLoad);
}

Finding WasLoaded(const Case& c, const std::string& by) {
  return {fmt::format("a checkpoint of which a file is {} was loaded{}: expected an error on every rank",
                      ToString(c.checkpoint->damage->what), by),
          std::nullopt};
}

/// What was cut off may be empty shards: where all that was saved is there after the load, nothing was missing. Ranks
/// that end in any other way than by refusing are a finding of their own.
std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  try {
    if (!JudgeAgainstReference(stratum, c)) return std::nullopt;
  } catch (const RunEnded& ended) {
    if (AllRefusedTheLoad(ended.result)) return std::nullopt;
    if (const std::vector<int> ranks = WhoLoaded(ended.result); !ranks.empty())
      return WasLoaded(c, " by " + RankList(ranks));
    throw;
  }
  return WasLoaded(c, "");
}

const RegisteredClause clause("C-ZERO-088", "WhatIsMissingIsAnErrorOnEveryRank", Space, Judge);

}  // namespace
}  // namespace zerocts
