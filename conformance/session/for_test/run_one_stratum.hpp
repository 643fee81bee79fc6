// A clause in one stratum against stand-ins for ranks, without shrinking.
#pragma once
#include <string>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/contract/judge.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/session/property/property.hpp"
#include "conformance/session/stratum/settings.hpp"
#include "conformance/session/stratum/strata.hpp"

namespace zerocts {

inline StratumOutcome RunOneStratum(const std::string& clause_id, const SessionSettings& settings, int world_size,
                                    int cases, const Runner& runner) {
  const ClauseCheck& check = FindClauseCheck(clause_id);
  const CaseSpace space = SpaceFor(check.space(), settings.info.capabilities);
  const Stratum stratum{LauncherKind::kThreads, world_size, Precision::kFp32};
  const CasePlace place = PlaceOf(stratum, settings);
  StratumPlan plan{.space = space,
                   .judge = check.judge,
                   .run = runner,
                   .stratum = stratum,
                   .place = place,
                   .cases = cases,
                   .random_cases = RandomCases(space, place, settings.info.capabilities, SeedOf(1, clause_id, stratum),
                                               FeatureCounts()),
                   .corpus = "",
                   .shrink = {.tries = 0},
                   .out_of_time = [] { return false; },
                   .progress = [] {}};
  return RunStratum(plan, settings);
}

}  // namespace zerocts
