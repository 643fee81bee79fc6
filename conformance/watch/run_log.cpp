// The log of a watched run, in the form that every report reads.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/host/system/machine_name.hpp"
#include "conformance/report/log/machine.hpp"
#include "conformance/report/log/record.hpp"
#include "conformance/report/view/run_view.hpp"
#include "conformance/watch/judged_run.hpp"
#include "conformance/watch/script_of.hpp"

namespace zerocts::watch {
namespace {

using nlohmann::json;

constexpr const char* kLauncher = "watched";
constexpr const char* kPrecision = "as run";

json Configured(json record, const LiveClause& clause, int world) {
  record["clause"] = clause.id;
  record["launcher"] = kLauncher;
  record["world_size"] = world;
  record["precision"] = kPrecision;
  return record;
}

std::vector<Finding> FindingsOf(const ObservedRun& run, const LiveClause& clause, Level level) {
  std::vector<Finding> findings;
  std::ranges::copy_if(run.findings(), std::back_inserter(findings),
                       [&](const Finding& f) { return f.clause == clause.id && f.level == level; });
  return findings;
}

}  // namespace

std::string JudgedRun::WhyNotJudged(const LiveClause& clause) const {
  return IsAllowed(clause) ? fmt::format("{}--allow {}", kLeftOutBy, clause.name) : kNotSeen + clause.unseen;
}

void JudgedRun::WriteLog(const std::string& path, const std::vector<std::string>& argv) const {
  EventLog log(path);
  std::vector<std::string> ids;
  for (const LiveClause& clause : AllLiveClauses()) ids.push_back(clause.id);
  const std::string torch = run_.processes().empty() ? "" : run_.processes().front().torch;
  log.Write({{"record", "run"},
             {"version", ZEROCTS_VERSION},
             {"argv", argv},
             {"tier", "live"},
             {"subject", {{"name", ScriptOf(argv)}, {"version", torch.empty() ? "" : "torch " + torch}}},
             {"launchers", {kLauncher}},
             {"world_sizes", {run_.world()}},
             {"precisions", {kPrecision}},
             {"clauses", ids},
             {"families", {{"live", ids}}},
             {"suite_clauses", ids.size()},
             {"host", MachineName()},
             {"machine", ThisMachine()},
             {"pid", getpid()}});
  for (const LiveClause& clause : AllLiveClauses()) {
    const std::vector<Finding> alarms = FindingsOf(run_, clause, Level::kAlarm);
    const int64_t judged = run_.judged(clause.id);
    const Result result = !alarms.empty() ? Result::kFail : judged > 0 ? Result::kPass : Result::kNotApplicable;
    log.Write(
        {{"record", "clause_start"}, {"clause", clause.id}, {"name", clause.name}, {"sentence", clause.sentence}});
    for (const Finding& alarm : alarms)
      log.Write(Configured({{"record", "failure"},
                            {"ending", "observed"},
                            {"fidelity", ToString(clause.fidelity)},
                            {"summary", alarm.what},
                            {"sentence", alarm.Sentence()}},
                           clause, run_.world()));
    log.Write(Configured({{"record", "configuration"},
                          {"cases", judged},
                          {"seconds", 0.0},
                          {"result", ToString(result)},
                          {"reason", result == Result::kNotApplicable ? WhyNotJudged(clause) : ""}},
                         clause, run_.world()));
    log.Write({{"record", "clause_end"},
               {"clause", clause.id},
               {"cases", judged},
               {"seconds", 0.0},
               {"result", ToString(result)}});
    for (const Finding& notice : FindingsOf(run_, clause, Level::kNotice))
      log.Write({{"record", "note"}, {"text", clause.name + ", " + notice.Sentence()}, {"groups", json::array()}});
  }
  const Verdict verdict = VerdictOf(SummaryOf(ViewOfLog(path)));
  log.Write({{"record", "run_end"},
             {"verdict", verdict.text},
             {"exit_code", verdict.exit_code},
             {"counts", ToJson(log.counts())},
             {"seconds", 0.0}});
}

}  // namespace zerocts::watch
