// Which space, judge and test belong to a clause; filled by the clauses' files before main.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "conformance/session/session.hpp"

namespace zerocts {
namespace {

std::map<std::string, ClauseCheck>& Checks() {
  static std::map<std::string, ClauseCheck> checks;
  return checks;
}

class ClauseTest : public testing::Test {
 public:
  explicit ClauseTest(const ClauseCheck& check) : check_(check) {}
  void TestBody() override { CheckClause(check_.space(), check_.judge); }

 private:
  const ClauseCheck& check_;
};

}  // namespace

RegisteredClause::RegisteredClause(const std::string& clause_id, const char* promise, CaseSpace (*space)(), Judge judge,
                                   const std::source_location& file) {
  const auto own_space = [clause_id, space] {
    CaseSpace own = space();
    own.clause = clause_id;
    return own;
  };
  const ClauseCheck& check = Checks().emplace(clause_id, ClauseCheck{own_space, std::move(judge)}).first->second;
  testing::RegisterTest(SuiteName(clause_id).c_str(), promise, nullptr, nullptr, file.file_name(),
                        static_cast<int>(file.line()), [&check]() -> testing::Test* { return new ClauseTest(check); });
}

const ClauseCheck& FindClauseCheck(const std::string& clause_id) {
  const auto found = Checks().find(clause_id);
  if (found == Checks().end()) throw std::out_of_range("no check is registered for clause '" + clause_id + "'");
  return found->second;
}

}  // namespace zerocts
