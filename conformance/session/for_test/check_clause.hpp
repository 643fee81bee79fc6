// CheckClause with judges and ranks that are made up, and what it leaves: exit code and records.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/log/record.hpp"
#include "conformance/report/view/run_view.hpp"
#include "conformance/session/for_test/test_session.hpp"
#include "conformance/session/run/check_clause.hpp"

namespace zerocts {

inline const std::string kSomeClause = "C-ZERO-001";

inline const Judge kSatisfied = [](Trial&, const Case&) -> std::optional<Finding> { return std::nullopt; };
inline const Judge kRuns = [](Trial& trial, const Case& c) -> std::optional<Finding> {
  trial.Observe(c);
  return std::nullopt;
};

inline Runner RanksThatEnd(Ending ending, int* runs = nullptr) {
  return [=](const Configuration&, const Case& c) {
    if (runs) ++*runs;
    RunResult result;
    result.ending = ending;
    result.message = "it ended so";
    for (int rank = 0; rank < c.world_size(); ++rank)
      result.reports.push_back({rank, "stands at step 1", "the rank's last words"});
    return result;
  };
}

struct CheckedClause {
  int exit_code = 0;
  std::vector<nlohmann::json> records;

  std::vector<nlohmann::json> Of(const std::string& kind) const {
    std::vector<nlohmann::json> found;
    for (const nlohmann::json& record : records) {
      if (record.at("record") == kind) found.push_back(record);
    }
    return found;
  }
  std::string clause_result() const { return Of("clause_end").at(0).at("result"); }
  std::vector<std::string> configuration_results() const {
    std::vector<std::string> results;
    for (const nlohmann::json& record : Of("configuration")) results.push_back(record.at("result"));
    return results;
  }
};

/// Ends the session. A reader of its log has no objection.
inline CheckedClause Finished(TestSession& session) {
  session.get().Finish();
  const std::string log = session.folder() / "results.ndjson";
  const RunView view = ViewOfLog(log);
  EXPECT_EQ(view.Objection(), "");
  return {view.exit_code(), ReadEventLog(log).records};
}

/// Ends the session.
inline CheckedClause Check(TestSession& session, const Judge& judge, const CaseSpace& space) {
  CheckClause(session.get(), space, judge);
  return Finished(session);
}

inline CheckedClause Check(TestSession& session, const Judge& judge, const std::string& clause = kSomeClause) {
  return Check(session, judge, FindClauseCheck(clause).space());
}

}  // namespace zerocts
