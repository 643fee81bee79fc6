// A clause in one configuration against stand-ins for ranks, without shrinking.
#pragma once
#include <string>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/contract/judge.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/configuration/settings.hpp"
#include "conformance/session/property/property.hpp"

namespace zerocts {

inline ConfigurationOutcome RunOneConfiguration(const std::string& clause_id, const SessionSettings& settings,
                                                int world_size, int cases, const Runner& runner) {
  const ClauseCheck& check = FindClauseCheck(clause_id);
  const CaseSpace space = SpaceFor(check.space(), settings.info.capabilities);
  const Configuration configuration{LauncherKind::kThreads, world_size, Precision::kFp32};
  const CaseConditions conditions = ConditionsOf(configuration, settings);
  ConfigurationPlan plan{.space = space,
                         .judge = check.judge,
                         .run = runner,
                         .configuration = configuration,
                         .conditions = conditions,
                         .cases = cases,
                         .random_cases = {RandomCases(space, conditions, settings.info.capabilities,
                                                      SeedOf(1, clause_id, configuration), FeatureCounts())},
                         .corpus = "",
                         .shrink = {.tries = 0},
                         .ended = [] { return std::string(); },
                         .progress = [] {}};
  return RunConfiguration(plan, settings);
}

}  // namespace zerocts
