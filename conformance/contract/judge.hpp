// How a clause is checked: what its cases are drawn from, and who judges each. Every clause's file registers its own.
#pragma once
#include <functional>
#include <optional>
#include <source_location>
#include <string>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/contract/trial.hpp"

namespace zerocts {

/// Judges one case: runs it (once or in variants) and says what is wrong, or nothing.
using Judge = std::function<std::optional<Finding>(Trial& trial, const Case& c)>;

struct ClauseCheck {
  std::function<CaseSpace()> space;  // its `clause` is the id, its `fidelity` follows from the clause's
  Judge judge;
};
const ClauseCheck& FindClauseCheck(const std::string& clause_id);  // throws std::out_of_range

/// One per clause's file, made before main. The clause's family is the folder of the file.
struct RegisteredClause {
  RegisteredClause(Clause clause, CaseSpace (*space)(), Judge judge,
                   const std::source_location& file = std::source_location::current());
};

}  // namespace zerocts
