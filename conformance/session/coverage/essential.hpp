// What is essential to a clause: where it cannot be had, the clause is not applicable, and a pass says how often it was
// asked.
#pragma once
#include <cstdint>
#include <set>
#include <string>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"

namespace zerocts {

/// "accumulation and (bf16 or bf16_accumulation)".
std::string TextOf(const Essential& essential);

/// Why a configuration has nothing of a clause.
struct MissingCapability {
  std::string text;           // "needs: replicas"; "" where it has
  bool is_essential = false;  // the space has cases there, but none with what is essential
};
MissingCapability MissingForClause(const Clause& clause, const CaseSpace& space, const Configuration& configuration,
                                   const SessionSettings& settings);

/// Has a case with these features all that is essential?
bool IsAbout(const Essential& essential, const std::set<std::string>& features_of_case);

/// Counts the cases that ran and had what is essential.
struct Asked {
  int64_t cases = 0;       // that had all that is essential
  FeatureCounts features;  // each essential feature: cases that had it, whatever else they lacked

  void Add(const Essential& essential, const std::set<std::string>& features_of_case);
  void Add(const Asked& other);
};

}  // namespace zerocts
