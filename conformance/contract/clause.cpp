// All families as one list.
#include "conformance/contract/clause.hpp"

#include <algorithm>
#include <stdexcept>

#include "conformance/contract/families.hpp"

namespace zerocts {
namespace {

std::vector<Clause> Collect() {
  std::vector<Clause> all;
  for (auto family : {OwnershipClauses, ReductionClauses, AccumulationClauses, NormClauses, OverflowClauses,
                      StepClauses, AgreementClauses, AsynchronyClauses, CheckpointClauses, CostClauses}) {
    std::ranges::move(family(), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &Clause::id);
  return all;
}

}  // namespace

const std::vector<Clause>& AllClauses() {
  static const std::vector<Clause> all = Collect();
  return all;
}

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

std::string SuiteName(const std::string& clause_id) {
  std::string name = clause_id;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace zerocts
