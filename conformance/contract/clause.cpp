#include "conformance/contract/clause.hpp"

#include <algorithm>
#include <stdexcept>

namespace zerocts {

std::vector<std::string> Families() {
  std::vector<std::string> families;
  for (const Clause& clause : AllClauses()) {
    if (std::ranges::find(families, clause.family) == families.end()) families.push_back(clause.family);
  }
  return families;
}

const Clause& FindClause(const std::string& id) {
  const auto found = std::ranges::find(AllClauses(), id, &Clause::id);
  if (found == AllClauses().end())
    throw std::out_of_range("there is no clause '" + id + "'; `zerocts list` shows them all");
  return *found;
}

Fidelity FidelityFor(const Clause& clause, const Capabilities& capabilities) {
  return clause.or_bounded && capabilities.inexact_models ? Fidelity::kBounded : clause.fidelity;
}

bool MayBeBounded(const Clause& clause) { return clause.or_bounded && clause.fidelity != Fidelity::kBitwise; }

}  // namespace zerocts
