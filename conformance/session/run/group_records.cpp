#include "conformance/session/run/group_records.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "conformance/report/view/endings.hpp"
#include "conformance/session/failure/failure.hpp"
#include "conformance/session/run/clause_records.hpp"
#include "conformance/session/run/session_state.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

void WriteClauseThatDidNotRun(const Clause& clause, const GroupEnd& end, EventLog& log) {
  const Result result = ResultOf(end.result.ending);
  log.Write(ClauseStartRecord(clause));
  log.Write(ConfigurationRecord(clause, {end.launcher, end.world_size, Precision::kFp32},
                                {.result = result, .reason = "no case ran, because the ranks do not start"}, 0));
  log.Write(ClauseEndRecord(clause, {.configurations = {result}}));
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

void FinishWithoutRanks(Session& session, const std::vector<Clause>& clauses, const GroupEnd& end) {
  EventLog& log = session.state().log;
  log.Write(GroupEndRecord(kStartPhase, end));
  for (const Clause& clause : clauses) WriteClauseThatDidNotRun(clause, end, log);
  session.Finish();
}

std::vector<json> NoteRecords(const std::set<GroupNote>& notes) {
  using Group = std::pair<LauncherKind, int>;
  std::map<std::string, std::map<Group, std::vector<int>>> ranks;  // by text
  for (const GroupNote& note : notes) ranks[note.text][{note.launcher, note.world_size}].push_back(note.rank);

  std::vector<json> records;
  for (const auto& [text, of_groups] : ranks) {
    json groups = json::array();
    for (const auto& [group, of_group] : of_groups)
      groups.push_back({{"launcher", ToString(group.first)}, {"world_size", group.second}, {"ranks", of_group}});
    records.push_back({{"record", "note"}, {"text", text}, {"groups", groups}});
  }
  return records;
}

}  // namespace zerocts
