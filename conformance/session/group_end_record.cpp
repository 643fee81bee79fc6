#include "conformance/session/group_end_record.hpp"

#include <nlohmann/json.hpp>

#include "conformance/session/failure_record.hpp"
#include "conformance/session/result_of_ending.hpp"
#include "conformance/session/session_state.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

void WriteClauseThatDidNotRun(const Clause& clause, const GroupEnd& end, EventLog& log) {
  const std::string result = ToString(ResultOf(end.result.ending));
  log.Write({{"record", "clause_start"}, {"clause", clause.id}, {"name", clause.name}, {"sentence", clause.sentence}});
  log.Write({{"record", "stratum"},
             {"clause", clause.id},
             {"launcher", ToString(end.launcher)},
             {"world_size", end.world_size},
             {"precision", ToString(Precision::kFp32)},
             {"cases", 0},
             {"features", json::object()},
             {"seconds", 0},
             {"result", result},
             {"reason", "no case ran, because the ranks do not start"}});
  log.Write({{"record", "clause_end"},
             {"clause", clause.id},
             {"result", result},
             {"cases", 0},
             {"floors", json::object()},
             {"needs", json::array()},
             {"seconds", 0}});
}

}  // namespace

json GroupEndRecord(const std::string& phase, const GroupEnd& end) {
  return {{"record", "group_end"},
          {"phase", phase},
          {"launcher", ToString(end.launcher)},
          {"world_size", end.world_size},
          {"result", ToString(ResultOf(end.result.ending))},
          {"sentence", end.result.message},
          {"ranks", RankRecords(end.result.reports)}};
}

int FinishWithoutRanks(Session& session, const std::vector<Clause>& clauses, const GroupEnd& end) {
  Session::State& state = session.state();
  state.AddGroupEnd(kStartPhase, end);
  for (const Clause& clause : clauses) {
    WriteClauseThatDidNotRun(clause, end, state.log);
    ++state.strata[ResultOf(end.result.ending)];
  }
  return session.Finish();
}

}  // namespace zerocts
