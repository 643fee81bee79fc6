#include "conformance/session/run/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "conformance/cases/dimensions/names_of.hpp"
#include "conformance/contract/profiles.hpp"
#include "conformance/contract/trial.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/host/system/machine_name.hpp"
#include "conformance/report/diagnosis/diagnose.hpp"
#include "conformance/report/diagnosis/known_faults.hpp"
#include "conformance/report/log/machine.hpp"
#include "conformance/report/view/run_view.hpp"
#include "conformance/session/run/group_records.hpp"
#include "conformance/session/run/session_state.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

std::string ToString(Tier tier) {
  switch (tier) {
    case Tier::kSmoke: return "smoke";
    case Tier::kDefault: return "default";
    case Tier::kFull: return "full";
  }
  throw std::invalid_argument("Tier out of range");
}

/// The file must be about this subject: a failure of one implementation excuses none of another.
ExpectationsBook BookOf(const SessionSettings& s) {
  if (s.expectations.empty()) return {};
  ExpectationsFile file = LoadExpectations(s.expectations);
  if (s.expected_as.empty() && file.subject != s.subject.text && file.subject != s.info.name) {
    throw UsageError(fmt::format("--expect: expected a file about {}, got {} about {}; choose its own", s.info.name,
                                 file.path, file.subject));
  }
  return {std::move(file), {s.info.version, s.subject.options}, s.complete && s.expected_as.empty()};
}

std::string LogIn(const std::string& out_dir) { return out_dir + "/results.ndjson"; }

/// Makes the folder.
std::string NewLogIn(const std::string& out_dir) {
  std::error_code error;
  std::filesystem::create_directories(out_dir, error);
  if (error) {
    throw UsageError(fmt::format("the output folder '{}' cannot be made ({}); name another one with --out", out_dir,
                                 error.message()));
  }
  return LogIn(out_dir);
}

/// The clauses of each family, among those that will be checked.
json FamiliesOf(const std::vector<std::string>& clauses) {
  json families = json::object();
  for (const std::string& id : clauses) families[FindClause(id).family].push_back(id);
  return families;
}

Diagnosis DiagnosisOf(const RunView& view, const SessionSettings& s) {
  if (view.there.failures.empty() && view.there.groups.empty()) return {};
  return Diagnose(view, LoadKnownFaults(s.known_faults));
}

std::vector<ProfilePlan> ProfilePlans() {
  std::vector<ProfilePlan> plans;
  for (const Profile& profile : AllProfiles()) plans.push_back({profile.name, profile.feature, profile.clauses});
  return plans;
}

json RunRecord(const SessionSettings& s) {
  json run = {{"record", "run"},
              {"version", ZEROCTS_VERSION},
              {"argv", s.argv},
              {"seed", s.seed},
              {"cases_per_clause", s.cases_per_clause},
              {"tier", ToString(s.tier)},
              {"subject",
               {{"name", s.info.name},
                {"version", s.info.version},
                {"text", s.subject.text},
                {"options", std::map(s.subject.options.begin(), s.subject.options.end())},
                {"capabilities", ToJson(s.info.capabilities)}}},
              {"launchers", NamesOf(s.launchers)},
              {"world_sizes", s.world_sizes},
              {"precisions", NamesOf(s.precisions)},
              {"expectations", s.expectations},
              {"expected_as", s.expected_as},
              {"partial", s.partial},
              {"suite_clauses", AllClauses().size()},
              {"profiles", ToJson(ProfilePlans())},
              {"required", s.required},
              {"host", MachineName()},
              {"machine", ThisMachine()},
              {"pid", getpid()},
              {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  if (s.second_seed) run["second_seed"] = *s.second_seed;
  if (!s.clauses.empty()) run["clauses"] = s.clauses;
  run["families"] = FamiliesOf(s.clauses);
  return run;
}

}  // namespace

Session::State::State(SessionSettings given, Runner runner)
    : settings(std::move(given)),
      run(std::move(runner)),
      log(NewLogIn(settings.out_dir)),
      progress(settings.progress, settings.clauses.size()),
      stops(settings.most_hangs, settings.progress),
      expectations(BookOf(settings)) {
  if (run) return;
  pool.emplace(settings.subject, settings.host);
  run = [this](const Configuration& configuration, const Case& c) {
    RunResult result = pool->Run(configuration.launcher, c);
    if (result.ending == Ending::kHang) stops.TellHang(c, configuration, result.message);
    return result;
  };
}

void Session::State::BeginClause() {
  if (!settings.time_budget) return;
  const auto left =
      std::max<std::ptrdiff_t>(1, std::ssize(settings.clauses) - static_cast<std::ptrdiff_t>(begun_clauses++));
  const Clock::time_point now = Clock::now();
  clause_end = now + (start + *settings.time_budget - now) / left;
}

std::set<GroupNote> Session::State::Notes() const {
  std::set<GroupNote> notes(settings.info.notes.begin(), settings.info.notes.end());
  if (pool) notes.merge(pool->Notes());
  return notes;
}

Session::Session(SessionSettings settings, Runner runner)
    : state_(std::make_unique<State>(std::move(settings), std::move(runner))) {
  state_->log.Write(RunRecord(state_->settings));
}

Session::~Session() = default;

const SessionSettings& Session::settings() const { return state_->settings; }

std::vector<GroupEnd> Session::StopGroups() {
  std::vector<GroupEnd> ends = settings().info.bad_end;
  if (state_->pool) std::ranges::move(state_->pool->Stop(), std::back_inserter(ends));
  return ends;
}

void Session::Finish() {
  const SessionSettings& settings = state_->settings;
  EventLog& log = state_->log;
  for (const GroupEnd& end : StopGroups()) log.Write(GroupEndRecord(kShutdownPhase, end));
  for (const json& note : NoteRecords(state_->Notes())) log.Write(note);
  if (!state_->stops.Why().empty()) state_->expectations.EndEarly();
  for (const ExpectationsBook::Entry& entry : state_->expectations.Entries()) log.Write(RecordOf(entry));
  RunView view = ViewOfLog(LogIn(settings.out_dir));
  view.interrupted = InterruptedBy();
  const Verdict verdict = VerdictOf(SummaryOf(view));
  Pairs missing = PossiblePairs(settings);
  const size_t possible = missing.size();
  std::erase_if(missing, [&](const std::string& pair) { return state_->pairs.contains(pair); });
  log.Write({{"record", "run_end"},
             {"diagnosis", ToJson(DiagnosisOf(view, settings))},
             {"verdict", verdict.text},
             {"exit_code", verdict.exit_code},
             {"interrupted", view.interrupted},
             {"counts", ToJson(log.counts())},
             {"profiles", ToJson(view.profiles())},
             {"pairs", {{"possible", possible}, {"missing", missing}}},
             {"value_pairs", {{"met", state_->met_pairs}, {"possible", state_->possible_pairs}}},
             {"seconds", SecondsSince(state_->start)}});
}

}  // namespace zerocts
