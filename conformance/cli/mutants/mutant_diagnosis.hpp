// The kill matrix of the mutants as data, and how well it tells their faults apart.
#pragma once
#include <string>
#include <vector>

#include "conformance/cli/installed.hpp"
#include "conformance/report/diagnosis/known_faults.hpp"

namespace zerocts {

/// A mutant and the logs of its checks, one for each seed.
struct LoggedMutant {
  InstalledMutant mutant;
  std::vector<std::string> logs;  // paths
};

/// What the logs show of each mutant, all its seeds together. Benign variants are left out.
std::vector<KnownFault> FaultsIn(const std::vector<LoggedMutant>& mutants);

/// `old` with what was recorded anew, of the mutants that exist, by id. Where nothing failed, what was known stays.
std::vector<KnownFault> Renewed(const std::vector<KnownFault>& old, const std::vector<KnownFault>& recorded,
                                const std::vector<InstalledMutant>& existing);

/// How often the diagnosis of a run is right, of runs in which something failed.
struct Recognition {
  int runs = 0, first = 0, among = 0;  // the right one first; among those that are named
};

struct RecognitionOfAll {
  int silent = 0;          // runs in which nothing failed
  Recognition itself;      // the mutant is known from other seeds: it is named
  Recognition by_sibling;  // it is left out of what is known: a mutant is named that breaks one of the clauses that
                           // must find it; only of mutants that have such a sibling
  Recognition of_odd, of_even;  // the same, by the number of the mutant: what is chosen by one half, the other checks
  std::string rows;             // a line for each run
};
RecognitionOfAll Recognized(const std::vector<LoggedMutant>& mutants, const std::vector<KnownFault>& known);

/// The rows, then a line for each kind of recognition: "itself: 80 of 100 first (80 %), 95 among three (95 %)".
std::string RecognitionText(const RecognitionOfAll& recognized);

}  // namespace zerocts
