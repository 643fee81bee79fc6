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
#include "conformance/report/view/endings.hpp"
#include "conformance/report/view/verdict_of_run.hpp"
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

std::string EventLogPath(const std::string& out_dir) {
  std::error_code error;
  std::filesystem::create_directories(out_dir, error);
  if (error) {
    throw UsageError(fmt::format("the output folder '{}' cannot be made ({}); name another one with --out", out_dir,
                                 error.message()));
  }
  return out_dir + "/results.ndjson";
}

/// The clauses of each family, among those that will be checked.
json FamiliesOf(const std::vector<std::string>& clauses) {
  json families = json::object();
  for (const std::string& id : clauses) families[FindClause(id).family].push_back(id);
  return families;
}

/// The diagnosis of what the log holds so far; it is read again only where something went wrong.
Diagnosis DiagnosisOf(const SessionSettings& s, const RunCounts& counts) {
  if (counts.failures.empty() && counts.groups.empty()) return {};
  return Diagnose(ViewOfLog(s.out_dir + "/results.ndjson"), LoadKnownFaults(s.known_faults));
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
      log(EventLogPath(settings.out_dir)),
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

void Session::State::AddGroupEnd(const std::string& phase, const GroupEnd& end) {
  log.Write(GroupEndRecord(phase, end));
  worst_group = Worst(worst_group, ResultOf(end.result.ending));
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

int Session::Finish() {
  for (const GroupEnd& end : StopGroups()) state_->AddGroupEnd(kShutdownPhase, end);
  for (const json& note : NoteRecords(state_->Notes())) state_->log.Write(note);
  if (!state_->stops.Why().empty()) state_->expectations.EndEarly();
  for (const ExpectationsBook::Entry& entry : state_->expectations.Entries()) state_->log.Write(RecordOf(entry));
  const std::vector<ProfileReached> profiles = ProfilesReached(ProfilePlans(), state_->shown);
  const auto judged = std::ranges::count_if(
      state_->shown, [](const auto& clause) { return clause.second.result != Result::kNotApplicable; });
  const auto self_reported = std::ranges::count_if(
      state_->shown, [](const auto& clause) { return clause.second.result == Result::kSelfReported; });
  const std::string interrupted = InterruptedBy();
  const Verdict verdict = VerdictOf({.configurations = state_->configurations,
                                     .worst_clause = state_->worst_clause,
                                     .worst_group = state_->worst_group,
                                     .exceptions = state_->expectations.Count(ExpectationState::kHeld),
                                     .stale = state_->expectations.Count(ExpectationState::kStale),
                                     .partial = state_->settings.partial,
                                     .judged = judged,
                                     .clauses = std::ssize(AllClauses()),
                                     .self_reported = self_reported,
                                     .profiles = profiles,
                                     .required = state_->settings.required,
                                     .interrupted = interrupted,
                                     .expected_as = state_->settings.expected_as});
  Pairs missing = PossiblePairs(state_->settings);
  const size_t possible = missing.size();
  std::erase_if(missing, [&](const std::string& pair) { return state_->pairs.contains(pair); });
  state_->log.Write({{"record", "run_end"},
                     {"diagnosis", ToJson(DiagnosisOf(state_->settings, state_->log.counts()))},
                     {"verdict", verdict.text},
                     {"exit_code", verdict.exit_code},
                     {"interrupted", interrupted},
                     {"counts", ToJson(state_->log.counts())},
                     {"profiles", ToJson(profiles)},
                     {"pairs", {{"possible", possible}, {"missing", missing}}},
                     {"value_pairs", {{"met", state_->met_pairs}, {"possible", state_->possible_pairs}}},
                     {"seconds", SecondsSince(state_->start)}});
  return verdict.exit_code;
}

}  // namespace zerocts
