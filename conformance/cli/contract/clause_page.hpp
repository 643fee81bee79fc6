// The contract as a Markdown page.
#pragma once
#include <string>
#include <vector>

#include "conformance/cli/installed.hpp"
#include "conformance/contract/clause.hpp"

namespace zerocts {

/// Family by family: what each clause demands, how it is checked, which faults it must find, and where they happened.
std::string ClausePage(const std::vector<Clause>& clauses, const std::vector<InstalledMutant>& mutants);

}  // namespace zerocts
