// The configurations of a run: launchers x world sizes x precisions, and what random cases of each begin from.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"
#include "conformance/cases/draws/case_space.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/session/configuration/settings.hpp"
#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// Where a clause's cases run.
struct Configuration {
  LauncherKind launcher;
  int world_size;
  Precision precision;
};
std::string ToString(const Configuration& s);  // "threads W=3 bf16"

/// 1, 2, 3 and 4 as far as the subject goes; a subject that starts above them is run at its smallest.
std::vector<int> DefaultWorldSizes(const Capabilities& capabilities);

/// Runs one case somewhere: on groups of ranks, or in place of them in tests of the suite itself.
using Runner = std::function<RunResult(const Configuration& configuration, const Case& c)>;

std::vector<Configuration> ConfigurationsOf(const SessionSettings& settings);

CaseConditions ConditionsOf(const Configuration& configuration, const SessionSettings& settings);

/// `cases` over so many configurations, as evenly as possible, at least one each: [configurations].
std::vector<int> Shares(int cases, size_t configurations);

/// The run's, and where the clause is required the second one, too.
std::vector<uint64_t> SeedsOf(const SessionSettings& settings, const std::string& clause_id);

/// H(run seed, clause, configuration): every configuration of every clause draws a stream of its own.
uint64_t SeedOf(uint64_t run_seed, const std::string& clause_id, const Configuration& configuration);

}  // namespace zerocts
