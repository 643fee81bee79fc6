// Checks of mutants: who is judged, by which command, and what its log proves.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cli/installed.hpp"
#include "conformance/cli/mutants/mutant_verdict.hpp"

namespace zerocts {

/// What is judged, the same way whatever must come of it.
struct Suspect {
  InstalledMutant mutant;
  std::string plugin;                // path
  std::vector<std::string> clauses;  // to check; none: all
};

/// The mutants, and before them, as controls, the subjects that they were made from: a clause that fails without any
/// fault kills nothing.
std::vector<Suspect> SuspectsOf(const std::vector<InstalledMutant>& mutants, bool all_clauses);

/// One suspect under one seed.
struct MutantTrial {
  Suspect suspect;
  std::string tier;
  std::string ranks;  // "": all
  uint64_t seed = 1;
  std::string folder;  // of its results and its output
};

/// Path of what its check logs.
std::string LogOf(const MutantTrial& trial);

/// What each trial proves, in their order; `jobs` of them at once, each a process of this program. `resume` keeps
/// what logs of an earlier call prove. Progress goes to standard error.
std::vector<RunEvidence> TryAll(const std::vector<MutantTrial>& trials, size_t jobs, bool resume);

}  // namespace zerocts
