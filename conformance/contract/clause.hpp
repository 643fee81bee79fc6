// A clause of the contract as data. One list per family folder (contract/<family>/clauses.cpp).
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/case.hpp"

namespace zerocts {

enum class Severity { kMust, kShould };

struct RealBug {
  std::string what;  // one sentence
  std::string link;
};

struct Clause {
  std::string id;        // "C-ZERO-001"
  std::string name;      // "shard coverage"
  std::string family;    // "ownership"
  std::string sentence;  // what must hold
  Severity severity = Severity::kMust;
  Fidelity fidelity = Fidelity::kExactInputs;
  std::string how;            // how it is checked
  std::vector<RealBug> bugs;  // why it exists
  std::vector<std::string>
      features;  // floors: each in at least 5 % of the generated cases, or the clause does not count as checked
  std::vector<std::string> needs;    // parts of the precondition that need a later feature: "missing gradients: .."
  std::vector<std::string> mutants;  // ids that it must kill
};

const std::vector<Clause>& AllClauses();  // ascending by id
std::vector<std::string> Families();
const Clause& FindClause(const std::string& id);  // throws std::out_of_range

/// "C-ZERO-001" <-> "C_ZERO_001" (a '-' would end a GoogleTest filter).
std::string SuiteName(const std::string& clause_id);

}  // namespace zerocts
