#include "conformance/session/run/group_end_record.hpp"

#include <nlohmann/json.hpp>

#include "conformance/report/view/endings.hpp"
#include "conformance/session/failure/failure_record.hpp"
#include "conformance/session/run/clause_records.hpp"
#include "conformance/session/run/session_state.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

void WriteClauseThatDidNotRun(const Clause& clause, const GroupEnd& end, EventLog& log) {
  const Result result = ResultOf(end.result.ending);
  log.Write(ClauseStartRecord(clause));
  log.Write(StratumRecord(clause, {end.launcher, end.world_size, Precision::kFp32},
                          {.result = result, .reason = "no case ran, because the ranks do not start"}, 0));
  log.Write(ClauseEndRecord(clause, {.strata = {result}}));
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
    state.shown[clause.id] = {ResultOf(end.result.ending), {}};
  }
  return session.Finish();
}

}  // namespace zerocts
