// A clause of the contract as data: what it requires, why, and what its cases must show. Each stands in a file of its
// own, contract/<family>/<clause>.cpp, beside its judge.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"

namespace zerocts {

struct RealBug {
  std::string what;  // one sentence
  std::string link;
};

/// What a clause is about: of each list a case must have one feature at least, or it asks nothing of the clause.
using Essential = std::vector<std::vector<std::string>>;

struct Clause {
  std::string id;                              // "C-ZERO-001"
  std::string name;                            // "shard coverage"
  std::string sentence;                        // what must hold
  Fidelity fidelity = Fidelity::kExactInputs;  // see also or_bounded
  std::string how;                             // how it is checked
  std::vector<RealBug> bugs;                   // why it exists
  Essential essential = {};                    // without it the clause is not applicable, however many cases pass
  std::vector<std::string> features;    // coverage minimums: each in at least 5 % of the generated cases, or the clause
                                        // does not count as checked
  std::vector<std::string> needs = {};  // parts of the precondition that need a later feature: "missing gradients: .."
  int revision = 1;                     // raised when the clause asks for more: a new failure may then be its doing
  std::string family = {};              // "ownership": the folder of its file
  std::string file = {};                // "ownership/shard_coverage.cpp"
  bool or_bounded = false;              // where a subject's models are inexact: as its space says
};

const std::vector<Clause>& AllClauses();  // ascending by id
std::vector<std::string> AllClauseIds();
std::vector<std::string> Families();
/// The fidelity of the cases by which a subject that declares this is judged.
Fidelity FidelityFor(const Clause& clause, const Capabilities& capabilities);
/// Are numbers held to a bound where a subject's models are inexact? Where bits are compared, they still are.
bool MayBeBounded(const Clause& clause);
const Clause& FindClause(const std::string& id);  // throws std::out_of_range

}  // namespace zerocts
