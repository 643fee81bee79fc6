// The strata of a run: launchers x world sizes x precisions, and what random cases of each begin from.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/session/stratum/settings.hpp"
#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// Where a clause's cases run.
struct Stratum {
  LauncherKind launcher;
  int world_size;
  Precision precision;
};
std::string ToString(const Stratum& s);  // "threads W=3 bf16"

std::vector<Stratum> StrataOf(const SessionSettings& settings);

CasePlace PlaceOf(const Stratum& stratum, const SessionSettings& settings);

/// `cases` over `strata` strata, as evenly as possible, at least one each: [strata].
std::vector<int> Shares(int cases, size_t strata);

/// H(run seed, clause, stratum): every stratum of every clause draws a stream of its own.
uint64_t SeedOf(uint64_t run_seed, const std::string& clause_id, const Stratum& stratum);

}  // namespace zerocts
