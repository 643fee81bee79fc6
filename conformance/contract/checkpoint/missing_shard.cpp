#include <fmt/format.h>

#include <algorithm>

#include "conformance/contract/checkpoint/spaces.hpp"
#include "conformance/host/conductor/rank_end.hpp"

namespace zerocts::missing_shard {

const Clause kClause{
    .id = "C-ZERO-088",
    .name = "missing shard is an error",
    .sentence =
        "A checkpoint of which a file is missing or cut off is refused by every rank; nothing is put in "
        "the place of what is not there.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "After all ranks have saved, a file is taken away, or half of it. The run passes when every rank "
        "refuses the load, and fails when one loads, hangs or dies. Where every rank loads and shows all that "
        "was saved, nothing was missing: half of a file may be empty shards.",
    .bugs = {{"Slices of the state that were not found stayed zero, with a warning only.",
              "https://github.com/NVIDIA/Megatron-LM/pull/5077"},
             {"Shards that ranks wrote at the same time were lost: zeros in the file.",
              "https://github.com/NVIDIA/Megatron-LM/issues/1053"},
             {"Moments that the file lacked were dropped in silence.",
              "https://github.com/areal-project/AReaL/pull/1468"}},
    .essential = {{"damaged"}},
    .features = {"damaged", "adamw", "uneven"},
    .needs = {"files of two checkpoints mixed", "damage inside of the values"},
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.max_steps = 2;
  space.vary = {"buffers", "buckets", "mesh", "offload", "checkpoint damage"};
  space.checkpoint = CheckpointUse::kResume;
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
std::optional<Finding> Judge(Trial& trial, const Case& c) {
  try {
    if (!JudgeAgainstReference(trial, c)) return std::nullopt;
  } catch (const RunEnded& ended) {
    if (AllRefusedTheLoad(ended.result)) return std::nullopt;
    if (const std::vector<int> ranks = WhoLoaded(ended.result); !ranks.empty())
      return WasLoaded(c, " by " + RankList(ranks));
    throw;
  }
  return WasLoaded(c, "");
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::missing_shard
