// C-ZERO-088: what is missing from a checkpoint is an error of its load, on every rank.
#include <gtest/gtest.h>

#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-088"};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.max_steps = 2;
  space.buckets = space.mesh = space.offload = space.buffers = true;
  space.checkpoint = CheckpointUse::kResume;
  space.damage = true;
  space.finish = [](Case& c) { GiveMomentumToAllOrNone(c.experiment); };
  space.keep = HasNoEmptyGroup;
  return space;
}

bool RefusedTheLoad(const RunResult& result) {
  return result.ending == Ending::kRefused && result.message.find("refused load") != std::string::npos;
}

/// Ranks that end in any other way than by refusing are a finding of their own.
std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  try {
    Observe(stratum, c);
  } catch (const RunEnded& ended) {
    if (RefusedTheLoad(ended.result)) return std::nullopt;
    throw;
  }
  return Finding{"a checkpoint of which a file is " + ToString(c.checkpoint->damage->what) +
                     " was loaded: expected an error on every rank",
                 std::nullopt};
}

const bool registered = RegisterClauseCheck({"C-ZERO-088", Space, Judge});

TEST(C_ZERO_088, WhatIsMissingIsAnErrorOnEveryRank) { CheckClause("C-ZERO-088", Space(), Judge); }

}  // namespace
}  // namespace zerocts
