// Reads the records of a run into one picture.
#include "conformance/report/view/run_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/log/record.hpp"
#include "conformance/report/log/record_types.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

class Reader {
 public:
  void Read(const json& record) {
    const std::string kind = record.at("record");
    view_.there.Add(record);
    if (kind == "run") Run(record);
    if (kind == "run_end") RunEnd(record);
    if (kind == "clause_start") ClauseStart(record);
    if (kind == "configuration") Configuration(record);
    if (kind == "failure") Failure(record);
    if (kind == "clause_end") ClauseEnd(record);
    if (kind == "expectation") Expectation(record);
    if (kind == "group_end") GroupEnd(record);
    if (kind == "note") Note(record);
  }

  RunView Finish() {
    for (ClauseView& clause : view_.clauses) {
      const bool not_run = MarkNotRun(clause.configurations);
      std::vector<Result> configurations;
      for (const ConfigurationView& configuration : clause.configurations)
        configurations.push_back(configuration.result);
      clause.result =
          Worst(clause.result, ResultOfClause(configurations, clause.missed_minimums, clause.asked_cases()));
      if (not_run && clause.result == Result::kTooFew) clause.result = Result::kNotRun;
      if (!clause.ended) clause.result = Worst(clause.result, Result::kTooFew);
      clause.family = families_[clause.id];
    }
    std::sort(view_.clauses.begin(), view_.clauses.end(),
              [](const ClauseView& a, const ClauseView& b) { return a.id < b.id; });
    return std::move(view_);
  }

 private:
  /// Where no configuration that could be judged was run.
  static bool MarkNotRun(std::vector<ConfigurationView>& configurations) {
    std::vector<ConfigurationView*> not_run;
    for (ConfigurationView& configuration : configurations) {
      if (!IsAsked(configuration.result)) continue;
      if (configuration.result != Result::kTooFew || configuration.cases > 0) return false;
      if (!configuration.reason.starts_with(kNotRunBecause)) return false;
      not_run.push_back(&configuration);
    }
    for (ConfigurationView* configuration : not_run) configuration->result = Result::kNotRun;
    return !not_run.empty();
  }

  ClauseView& Clause(const json& record) {
    const std::string id = record.at("clause");
    auto found = std::find_if(view_.clauses.begin(), view_.clauses.end(), [&](const auto& c) { return c.id == id; });
    if (found != view_.clauses.end()) return *found;
    view_.clauses.push_back({.id = id});
    return view_.clauses.back();
  }

  ConfigurationView& ConfigurationOf(const json& record) {
    std::vector<ConfigurationView>& configurations = Clause(record).configurations;
    const ConfigurationView wanted{
        .launcher = record.at("launcher"), .precision = record.at("precision"), .world_size = record.at("world_size")};
    auto found = std::find_if(configurations.begin(), configurations.end(),
                              [&](const auto& s) { return s.name() == wanted.name(); });
    if (found != configurations.end()) return *found;
    configurations.push_back(wanted);
    return configurations.back();
  }

  void Run(const json& record) {
    view_.run = record;
    view_.partial = record.value("partial", "");
    view_.expected_as = record.value("expected_as", "");
    view_.suite_clauses = record.value("suite_clauses", int64_t{0});
    view_.profile_plans = ProfilesFromJson(record.value("profiles", json::array()));
    view_.required = record.value("required", std::vector<std::string>{});
    const json families = record.value("families", json::object());
    for (const auto& [family, clauses] : families.items()) {
      for (const json& clause : clauses) families_[clause] = family;
    }
    if (!record.contains("clauses")) return;
    size_t configurations = 1;
    for (const char* dimension : {"launchers", "world_sizes", "precisions"}) {
      const std::vector<json> values = record.at(dimension);
      configurations *= std::set<json>(values.begin(), values.end()).size();  // a user may name one twice
    }
    view_.plan = {.clauses = record.at("clauses"), .configurations = configurations};
  }

  void RunEnd(const json& record) {
    view_.end = record;
    view_.verdict = {.text = record.at("verdict"), .exit_code = record.at("exit_code")};
    view_.interrupted = record.value("interrupted", "");
    view_.announced = RunCountsFromJson(record.at("counts"));
    if (record.contains("diagnosis")) view_.diagnosis = DiagnosisFromJson(record.at("diagnosis"));
  }

  void ClauseStart(const json& record) {
    ClauseView& clause = Clause(record);
    clause.name = record.value("name", "");
    clause.sentence = record.value("sentence", "");
    clause.revision = record.value("revision", 1);
    essential_[clause.id] = record.value("essential", std::vector<std::vector<std::string>>{});
  }

  void Configuration(const json& record) {
    ConfigurationView& configuration = ConfigurationOf(record);
    const int64_t cases = record.at("cases");
    const Result result = ResultOfConfiguration(record);
    configuration.reason = result == ResultFromString(record.at("result")) ? record.value("reason", "") : "no case ran";
    if (result == Result::kNotApplicable && configuration.reason.starts_with(kLeftOutBy))
      configuration.result = Result::kLeftOut;
    configuration.asked_elsewhere = record.value("asked_elsewhere", false);
    configuration.cases += cases;
    configuration.seconds += record.value("seconds", 0.0);
    configuration.result = WorstInConfiguration(configuration.result, result);
    for (const auto& [feature, count] : record.value("features", std::map<std::string, int64_t>{}))
      Clause(record).features[feature] += count;
  }

  void Failure(const json& record) {
    ConfigurationView& configuration = ConfigurationOf(record);
    configuration.result = WorstInConfiguration(configuration.result, ResultOfFailure(record));
    (record.contains("expected") ? configuration.expected : configuration.failures).push_back(record);
  }

  void Expectation(const json& record) {
    view_.expectations.push_back({.clause = record.at("clause"),
                                  .state = record.at("state"),
                                  .reason = record.at("reason"),
                                  .message = record.at("message"),
                                  .issue = record.at("issue"),
                                  .date = record.at("date"),
                                  .cases = record.at("cases")});
  }

  void GroupEnd(const json& record) {
    view_.group_ends.push_back({.phase = record.at("phase"),
                                .launcher = record.at("launcher"),
                                .world_size = record.at("world_size"),
                                .result = ResultFromString(record.at("result")),
                                .record = record});
  }

  void Note(const json& record) {
    NoteView note{.text = record.at("text")};
    for (const json& group : record.at("groups"))
      note.groups.push_back({group.at("launcher"), group.at("world_size"), group.at("ranks")});
    view_.notes.push_back(std::move(note));
  }

  void ClauseEnd(const json& record) {
    ClauseView& clause = Clause(record);
    clause.ended = true;
    clause.result = Worst(clause.result, ResultFromString(record.at("result")));
    clause.seconds += record.value("seconds", 0.0);
    clause.needs = record.value("needs", std::vector<std::string>{});
    std::ranges::move(MissedMinimums(record), std::back_inserter(clause.missed_minimums));
    if (!record.contains("asked")) return;
    const json& asked = record.at("asked");
    clause.asked = {.essential = essential_[clause.id], .cases = asked.at("cases"), .features = asked.at("features")};
  }

  RunView view_;
  std::map<std::string, std::string> families_;                             // by clause
  std::map<std::string, std::vector<std::vector<std::string>>> essential_;  // as above
};

/// "[1,2,3]" as "1 2 3", and ["local","mpirun"] as "local mpirun".
std::string Joined(const json& list) {
  std::vector<std::string> items;
  for (const json& item : list) items.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return fmt::format("{}", fmt::join(items, " "));
}

}  // namespace

std::string AskedView::Text() const {
  std::vector<std::string> counts;
  for (const auto& [feature, count] : features) counts.push_back(fmt::format("{} {}", feature, count));
  return fmt::format("{}", fmt::join(counts, ", "));
}

std::string ConfigurationView::name() const { return fmt::format("{} W={} {}", launcher, world_size, precision); }

std::string GroupEndView::name() const { return fmt::format("{} under {} W={}", phase, launcher, world_size); }

std::string NoteView::Text() const {
  std::vector<std::string> who;
  for (const Group& group : groups) {
    std::string ranks = fmt::format("rank{} {}", group.ranks.size() == 1 ? "" : "s", fmt::join(group.ranks, ", "));
    if (group.world_size > 1 && std::ssize(group.ranks) == group.world_size) ranks = "all ranks";
    who.push_back(fmt::format("{} under {} W={}", ranks, group.launcher, group.world_size));
  }
  return fmt::format("{} ({})", text, fmt::join(who, "; "));
}

std::vector<const json*> ClauseView::failures() const {
  std::vector<const json*> records;
  for (const ConfigurationView& configuration : configurations) {
    for (const json& failure : configuration.failures) records.push_back(&failure);
  }
  return records;
}

int64_t ClauseView::cases() const {
  int64_t sum = 0;
  for (const ConfigurationView& configuration : configurations) sum += configuration.cases;
  return sum;
}

bool ClauseView::judged() const { return IsAsked(result) && cases() > 0; }

std::string ClauseView::ReasonOfResult() const {
  const auto alike = std::ranges::find(configurations, result, &ConfigurationView::result);
  return alike == configurations.end() ? "" : alike->reason;
}

std::string ClauseView::LeftOutBy() const { return result == Result::kLeftOut ? ReasonOfResult() : ""; }

std::optional<int64_t> ClauseView::asked_cases() const { return asked ? std::optional(asked->cases) : std::nullopt; }

bool ClauseView::ConfigurationsExplainResult() const {
  return ended &&
         std::any_of(configurations.begin(), configurations.end(), [&](const auto& s) { return s.result == result; });
}

std::string ClauseView::Complaint() const {
  if (!ended) return "the run was cut off before this clause ended";
  if (configurations.empty()) return "no configuration of this clause ran";
  std::vector<std::string> minimums;
  for (const CoverageMinimum& minimum : missed_minimums) {
    minimums.push_back(fmt::format("{} in {} of {} needed cases", minimum.feature, minimum.count, minimum.needed));
  }
  if (!minimums.empty()) return fmt::format("features seen too rarely: {}", fmt::join(minimums, ", "));
  if (result == Result::kTooFew && asked_cases() == 0) return "no case had what the clause is about";
  return fmt::format("the clause ended as {}, which no configuration shows", ToString(result));
}

std::string ExpectationView::Text() const {
  return fmt::format("fails with \"{}\" since {}; {}", message, date, issue.empty() ? "no upstream issue yet" : issue);
}

int64_t RunView::Count(Result result) const { return std::ranges::count(clauses, result, &ClauseView::result); }

std::string RunView::seeds() const {
  if (run.is_null()) return "";
  const std::string seed = run.value("seed", json()).dump();
  return run.contains("second_seed") ? fmt::format("seeds {} {}", seed, run["second_seed"].dump()) : "seed " + seed;
}

std::string RunView::setting() const {
  if (run.is_null()) return "";
  return fmt::format("launchers {}  world sizes {}  {}  tier {}", Joined(run.value("launchers", json::array())),
                     Joined(run.value("world_sizes", json::array())), seeds(), run.value("tier", "default"));
}

std::string RunView::subject_name() const {
  return run.is_object() ? run.value("subject", json::object()).value("name", "unnamed subject") : "unnamed subject";
}

std::string RunView::subject_version() const {
  return run.is_object() ? run.value("subject", json::object()).value("version", "") : "";
}

int64_t RunView::configurations() const {
  int64_t sum = 0;
  for (const ClauseView& clause : clauses) sum += std::ssize(clause.configurations);
  return sum;
}

int64_t RunView::judged() const { return std::ranges::count_if(clauses, &ClauseView::judged); }

int64_t RunView::self_reported() const {
  return std::ranges::count(clauses, Result::kSelfReported, &ClauseView::result);
}

std::vector<ProfileReached> RunView::profiles() const {
  std::map<std::string, ClauseShown> shown;
  for (const ClauseView& clause : clauses) shown[clause.id] = {clause.result, clause.features};
  return ProfilesReached(profile_plans, shown);
}

int64_t RunView::cases() const {
  int64_t sum = 0;
  for (const ClauseView& clause : clauses) sum += clause.cases();
  return sum;
}

std::map<Result, int64_t> RunView::counts() const {
  std::map<Result, int64_t> counts;
  for (const ClauseView& clause : clauses) {
    for (const ConfigurationView& configuration : clause.configurations) ++counts[configuration.result];
  }
  return counts;
}

RunSummary SummaryOf(const RunView& view) {
  const auto in_state = [&](const char* state) {
    return std::ranges::count(view.expectations, state, &ExpectationView::state);
  };
  RunSummary summary{.configurations = view.counts(),
                     .exceptions = in_state("held"),
                     .stale = in_state("stale"),
                     .partial = view.partial,
                     .judged = view.judged(),
                     .clauses = view.suite_clauses,
                     .self_reported = view.self_reported(),
                     .profiles = view.profiles(),
                     .required = view.required,
                     .interrupted = view.interrupted,
                     .expected_as = view.expected_as};
  for (const ClauseView& clause : view.clauses) summary.worst_clause = Worst(summary.worst_clause, clause.result);
  for (const GroupEndView& group : view.group_ends) summary.worst_group = Worst(summary.worst_group, group.result);
  return summary;
}

std::vector<const ClauseView*> MostSpecificFirst(const RunView& view) {
  std::vector<const ClauseView*> clauses;
  for (const ClauseView& clause : view.clauses) clauses.push_back(&clause);
  const std::vector<std::string>& order = view.diagnosis.order;
  std::ranges::stable_sort(clauses, {}, [&](const ClauseView* clause) { return std::ranges::find(order, clause->id); });
  return clauses;
}

RunView ViewOf(const std::vector<json>& records) {
  Reader reader;
  for (size_t i = 0; i < records.size(); ++i) {
    try {
      ExpectRecord(records[i]);
      reader.Read(records[i]);
    } catch (const std::invalid_argument& error) {  // ResultFromString's too
      throw UsageError(fmt::format("record {} is not one that zerocts check writes: {}", i + 1, error.what()));
    } catch (const json::exception&) {
      throw UsageError(
          fmt::format("record {} is not one that zerocts check writes: a field is missing or of another type", i + 1));
    }
  }
  return reader.Finish();
}

RunView ViewOfLog(const std::string& path) {
  LoggedRecords log = ReadEventLog(path);
  RunView view = ViewOf(log.records);
  view.damage = std::move(log.damage);
  return view;
}

}  // namespace zerocts
