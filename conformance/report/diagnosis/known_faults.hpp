// The kill matrix as data: of every mutant, what the suite saw of it. `zerocts mutants --record` writes it into
// contract/known_faults.json.
#pragma once
#include <string>
#include <vector>

#include "conformance/report/diagnosis/diagnose.hpp"

namespace zerocts {

/// How it was recorded.
struct KnownFaults {
  std::string suite, recorded, command;  // "0.1.0", "2026-11-25", "zerocts mutants --record .."
  std::vector<KnownFault> faults;
};

/// A symptom a line, then a fault a line.
std::string KnownFaultsText(const KnownFaults& known);

/// None where there is no such file. Throws HarnessError where it is broken.
std::vector<KnownFault> LoadKnownFaults(const std::string& path);

}  // namespace zerocts
