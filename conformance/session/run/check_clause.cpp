#include "conformance/session/run/check_clause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "conformance/host/system/own_words.hpp"
#include "conformance/report/view/clause_result.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"
#include "conformance/session/coverage/essential.hpp"
#include "conformance/session/coverage/left_out.hpp"
#include "conformance/session/expectations/known_elsewhere.hpp"
#include "conformance/session/failure/failure.hpp"
#include "conformance/session/failure/reproducer.hpp"
#include "conformance/session/property/property.hpp"
#include "conformance/session/run/clause_records.hpp"
#include "conformance/session/run/session_state.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr ShrinkBudget kNoShrinking{.tries = 0, .tries_of_dead_runs = 0};
constexpr ShrinkBudget kAfterFirstFailure{.tries = 20, .tries_of_dead_runs = 0, .time = std::chrono::seconds(2)};
constexpr int kDrawsPerCase = 4;    // that are not run, to see which pairs of values can occur
constexpr int kHangsPerClause = 2;  // each costs a whole deadline; what is left of the clause then is not run

class ClauseRun {
 public:
  ClauseRun(const Clause& clause, const CaseSpace& space, const Judge& judge, Session::State& session)
      : clause_(clause),
        space_(SpaceFor(space, session.settings.info.capabilities)),
        judge_(judge),
        session_(session),
        seeds_(SeedsOf(session.settings, clause.id)) {}

  void Run() {
    session_.BeginClause();
    session_.log.Write(ClauseStartRecord(clause_));
    runs_ = session_.stops.Why().empty();
    if (runs_) session_.progress.Start(clause_.id + " " + clause_.name);
    try {
      JudgeConfigurations();
    } catch (const std::exception& error) {
      Conclude({.plan = PlanOf(ConfigurationsOf(session_.settings).front(), ""), .outcome = HarnessErrorOf(error)});
    }
    End();
  }

 private:
  struct ConfigurationRun {
    ConfigurationPlan plan;
    std::optional<ConfigurationOutcome> outcome = {};  // none: not run, because the harness failed before
    ValuePairs possible = {};                          // pairs that other draws have
    double seconds = 0;
  };

  void JudgeConfigurations() {
    const SessionSettings& settings = session_.settings;
    const std::vector<Configuration> configurations = ConfigurationsOf(settings);
    std::vector<MissingCapability> missing;
    std::vector<Precision> available;
    for (const Configuration& configuration : configurations) {
      missing.push_back(MissingForClause(clause_, space_, configuration, settings));
      if (missing.back().text.empty()) available.push_back(configuration.precision);
    }
    if (available.empty()) SayWhatLeftOut(missing);
    const int most_cases = space_.most_cases > 0 ? space_.most_cases : settings.cases_per_clause;
    const std::vector<int> shares = Shares(std::min(most_cases, settings.cases_per_clause), available.size());
    const int64_t planned = std::accumulate(shares.begin(), shares.end(), int64_t{0});
    std::vector<FeatureCounts> wanted(seeds_.size(), CoverageMinimumsOf(clause_, {}, planned, settings).Wanted());
    std::vector<ConfigurationRun> runs;
    const std::vector<std::set<std::string>> urgent = LastShown(clause_, available, settings);
    for (size_t i = 0, index = 0; i < configurations.size(); ++i) {
      runs.push_back({.plan = PlanOf(configurations[i], missing[i].text)});
      ConfigurationPlan& plan = runs.back().plan;
      plan.asked_elsewhere = missing[i].is_essential && !available.empty();
      if (!missing[i].text.empty() || !runs_) continue;
      plan.cases = shares[index];
      DrawCases(plan, urgent[index++], wanted);
    }
    RunAll(runs);
    TakeBackVacuousPasses(runs);
    for (const ConfigurationRun& run : runs) Conclude(run);
  }

  /// Names the options that leave a clause no case, where it has cases without them.
  void SayWhatLeftOut(std::vector<MissingCapability>& missing) const {
    const std::string left_out = LeftOutBy(clause_, space_, session_.settings);
    if (left_out.empty()) return;
    for (MissingCapability& one : missing) one.text = left_out;
  }

  static ConfigurationOutcome HarnessErrorOf(const std::exception& error) {
    return {.result = Result::kHarnessError, .reason = SentenceOf(error)};
  }

  /// Takes what these cases have from what is wanted, of each seed. They are not searched for what none of them can
  /// have.
  void DrawCases(ConfigurationPlan& plan, const std::set<std::string>& urgent, std::vector<FeatureCounts>& wanted) {
    const SessionSettings& settings = session_.settings;
    const std::set<std::string> shown =
        ShownBy(clause_, plan.configuration.precision, settings, plan.configuration.world_size);
    for (size_t s = 0; s < seeds_.size(); ++s) {
      FeatureCounts wanted_here = wanted[s];
      std::erase_if(wanted_here, [&](const auto& feature) { return !shown.contains(feature.first); });
      std::erase_if(wanted[s], [&](const auto& feature) { return shown.contains(feature.first); });
      RandomCases& drawn =
          plan.random_cases.emplace_back(space_, plan.conditions, settings.info.capabilities,
                                         SeedOf(seeds_[s], clause_.id, plan.configuration), wanted_here, urgent);
      wanted[s].merge(FeatureCounts(drawn.WantedAfter(static_cast<size_t>(plan.cases))));
    }
  }

  /// Where no case of any configuration had what is essential, those that passed have shown nothing.
  void TakeBackVacuousPasses(std::vector<ConfigurationRun>& runs) {
    for (const ConfigurationRun& run : runs) {
      if (run.outcome) asked_.Add(run.outcome->asked);
    }
    if (asked_.cases > 0) return;
    for (ConfigurationRun& run : runs) {
      if (!run.outcome || !Passes(run.outcome->result)) continue;
      run.outcome->result = Result::kNotApplicable;
      run.outcome->reason = fmt::format("no case that ran had {}", TextOf(clause_.essential));
    }
  }

  /// Configurations of one world size share a group of ranks, so they run one after the other. The largest group takes
  /// longest and shows most: with several jobs, and where the first failure ends the clause, it begins.
  void RunAll(std::vector<ConfigurationRun>& runs) {
    const int jobs = session_.settings.jobs;
    std::vector<std::function<void()>> tasks;
    for (auto begin = runs.begin(), end = begin; begin != runs.end(); begin = end) {
      end = std::find_if(begin, runs.end(), [&](const ConfigurationRun& run) {
        return !SharesGroup(run.plan.configuration, begin->plan.configuration);
      });
      tasks.push_back([=, this] { std::for_each(begin, end, [this](ConfigurationRun& run) { RunOne(run); }); });
    }
    if (jobs > 1 || session_.settings.fail_fast) std::ranges::reverse(tasks);
    RunTasks(jobs, tasks);
  }

  static bool SharesGroup(const Configuration& a, const Configuration& b) {
    return a.launcher == b.launcher && a.world_size == b.world_size;
  }

  void RunOne(ConfigurationRun& run) {
    if (harness_failed_) return;
    const Clock::time_point start = Clock::now();
    try {
      if (failed_ && session_.settings.shrink) run.plan.shrink = kAfterFirstFailure;
      if (session_.stops.HasHung()) run.plan.shrink.tries_of_dead_runs = 0;
      const std::string ended = WhyEnded(run.plan);
      run.outcome = ended.empty() ? RunConfiguration(run.plan, session_.settings)
                                  : ConfigurationOutcome{.result = Result::kTooFew, .reason = kNotRunBecause + ended};
      session_.stops.Add(run.plan.configuration, *run.outcome);
      if (run.outcome->failure) failed_ = true;
      hangs_ += run.outcome->result == Result::kHang;
    } catch (const std::exception& error) {
      run.outcome = HarnessErrorOf(error);
      harness_failed_ = true;
    }
    run.seconds = SecondsSince(start);
    run.possible = PossiblePairsOf(run.plan);
  }

  /// Why a configuration that could be judged is not run; empty: it is.
  std::string WhyEnded(const ConfigurationPlan& plan) const {
    if (!plan.missing.empty()) return "";
    if (const std::string why = session_.stops.Why(); !why.empty()) return why;
    if (hangs_ >= kHangsPerClause) return "the clause hung before";
    if (failed_ && session_.settings.fail_fast) return "the clause failed before (--fail-fast)";
    return "";
  }

  ValuePairs PossiblePairsOf(const ConfigurationPlan& plan) const {
    const bool is_left = failed_ && session_.settings.fail_fast;
    if (!plan.missing.empty() || !session_.WhyEnded().empty() || is_left) return {};
    const SessionSettings& settings = session_.settings;
    return PairsOfDraws(PairTable(plan.space, TermsOf(settings)), plan.space, plan.conditions,
                        settings.info.capabilities, ~SeedOf(settings.seed, clause_.id, plan.configuration),
                        kDrawsPerCase * plan.cases);
  }

  void Conclude(const ConfigurationRun& run) {
    if (!run.outcome) return;
    const ConfigurationOutcome& outcome = *run.outcome;
    const Configuration& configuration = run.plan.configuration;
    if (outcome.result == Result::kHarnessError)
      session_.log.Write(HarnessErrorRecord(clause_.id, configuration, outcome.reason));
    for (const ExpectedFailures& expected : outcome.expected) WriteExpected(expected, configuration);
    const auto write = [&](const Failure& failure) {
      json record = RecordOf(failure, configuration);
      if (outcome.result == Result::kStale) record["stale"] = true;
      session_.log.Write(record);
    };
    std::ranges::for_each(outcome.ended, write);
    if (outcome.failure) write(*outcome.failure);
    Record(configuration, outcome, run.seconds);
    Add(outcome);
    possible_.insert(run.possible.begin(), run.possible.end());
  }

  json RecordOf(const Failure& failure, const Configuration& configuration) {
    const std::string case_file = SaveFailedCase(failure, session_.settings.out_dir);
    json record = FailureRecord(failure, configuration, case_file, session_.settings.subject);
    if (json known = KnownElsewhere(failure, configuration, session_.settings); !known.is_null())
      record["known"] = std::move(known);
    record["reproducer"] = WriteReproducer(failure, ReproducerBeside(case_file), session_.settings);
    return record;
  }

  /// The first of its kind: it is no complaint.
  void WriteExpected(const ExpectedFailures& expected, const Configuration& configuration) {
    json record = RecordOf(expected.first, configuration);
    record["expected"] = {{"cases", expected.cases}, {"issue", expected.expectation->issue}};
    session_.log.Write(record);
  }

  ConfigurationPlan PlanOf(const Configuration& configuration, const std::string& missing) {
    const SessionSettings& settings = session_.settings;
    return {.space = space_,
            .judge = judge_,
            .run = session_.run,
            .configuration = configuration,
            .conditions = ConditionsOf(configuration, settings),
            .missing = missing,
            .essential = clause_.essential,
            .corpus = settings.corpus_dir.empty() ? "" : settings.corpus_dir + "/" + clause_.id,
            .expectations = session_.expectations.Covering(clause_.id, configuration),
            .shows_expectations = settings.expected_as.empty(),
            .shrink = settings.shrink ? ShrinkBudget{} : kNoShrinking,
            .ended = [this] { return session_.WhyEnded(); },
            .progress = [this, where = ToString(configuration)] { session_.progress.Update(where, ++judged_); },
            .failed = [this, where = ToString(configuration)](
                          const std::string& sentence) { session_.progress.Failed(where, sentence); }};
  }

  void Record(const Configuration& configuration, const ConfigurationOutcome& outcome, double seconds) {
    const json record = ConfigurationRecord(clause_, configuration, outcome, seconds);
    session_.log.Write(record);
    results_.push_back(ResultOfConfiguration(record));
  }

  void Add(const ConfigurationOutcome& outcome) {
    cases_ += outcome.cases;
    random_cases_ += outcome.random_cases;
    for (const auto& [feature, count] : outcome.features) features_[feature] += count;
    session_.pairs.insert(outcome.pairs.begin(), outcome.pairs.end());
    met_.insert(outcome.met.begin(), outcome.met.end());
    possible_.insert(outcome.met.begin(), outcome.met.end());
    cut_short_ = cut_short_ || outcome.cut_short;
    session_.expectations.Add(outcome);
    if (outcome.result == Result::kNotApplicable && !outcome.asked_elsewhere) Need(outcome.reason);
  }

  void Need(const std::string& need) {
    if (std::ranges::find(needs_, need) == needs_.end()) needs_.push_back(need);
  }

  void End() {
    const CoverageMinimums minimums = CoverageMinimumsOf(clause_, features_, random_cases_, session_.settings);
    std::ranges::for_each(clause_.needs, [this](const std::string& need) { Need(need); });
    std::ranges::for_each(minimums.needs, [this](const std::string& need) { Need(need); });
    const bool counts = cases_ > 0 && !cut_short_;
    const double seconds = SecondsSince(start_);
    const json end =
        ClauseEndRecord(clause_, {.configurations = results_,
                                  .cases = cases_,
                                  .coverage_minimums = counts ? minimums.counts : std::vector<MinimumCount>(),
                                  .needs = needs_,
                                  .asked = asked_,
                                  .seconds = seconds});
    session_.log.Write(end);
    session_.met_pairs += std::ssize(met_);
    session_.possible_pairs += std::ssize(possible_);
    if (runs_) session_.progress.End(end.at("result"), cases_, seconds);
  }

  const Clause& clause_;
  const CaseSpace space_;
  const Judge& judge_;
  Session::State& session_;
  const std::vector<uint64_t> seeds_;
  Clock::time_point start_ = Clock::now();
  std::vector<Result> results_;  // of the configurations
  int64_t cases_ = 0, random_cases_ = 0;
  bool cut_short_ = false;
  bool runs_ = true;                 // false: the run ended before this clause
  std::atomic<int64_t> judged_ = 0;  // this and what follows: by all jobs
  std::atomic<int> hangs_ = 0;
  std::atomic<bool> failed_ = false, harness_failed_ = false;
  FeatureCounts features_;
  ValuePairs met_, possible_;
  Asked asked_;
  std::vector<std::string> needs_;
};

}  // namespace

void CheckClause(Session& session, const CaseSpace& space, const Judge& judge) {
  ClauseRun(FindClause(space.clause), space, judge, session.state()).Run();
}

void RunTasks(int jobs, const std::vector<std::function<void()>>& tasks) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t task = next++; task < tasks.size(); task = next++) tasks[task]();
  };
  std::vector<std::jthread> others;
  for (size_t job = 1; job < std::min(static_cast<size_t>(jobs), tasks.size()); ++job) others.emplace_back(work);
  work();
}

}  // namespace zerocts
