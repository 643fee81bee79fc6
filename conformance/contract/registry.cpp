// Which space and judge belong to a clause; filled by the clauses' test files before main.
#include <map>
#include <stdexcept>

#include "conformance/contract/session.hpp"

namespace zerocts {
namespace {

std::map<std::string, ClauseCheck>& Checks() {
  static std::map<std::string, ClauseCheck> checks;
  return checks;
}

}  // namespace

bool RegisterClauseCheck(ClauseCheck check) { return Checks().emplace(check.clause_id, check).second; }

const ClauseCheck& FindClauseCheck(const std::string& clause_id) {
  const auto found = Checks().find(clause_id);
  if (found == Checks().end()) throw std::out_of_range("no check is registered for clause '" + clause_id + "'");
  return found->second;
}

}  // namespace zerocts
