#include "conformance/session/property/property.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/case/corpus.hpp"
#include "conformance/cases/case/without_numbers.hpp"
#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cases/inputs/exact_mean.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/report/view/clause_result.hpp"
#include "conformance/session/property/suspects.hpp"

namespace zerocts {
namespace {

using Clock = std::chrono::steady_clock;

bool EndsTheRanks(Result result) { return result != Result::kFail && result != Result::kRefused; }

constexpr size_t kMostEnded = 3;  // runs of a configuration that end without values; each may cost a group of ranks

bool IsPartOf(const std::vector<std::string>& part, const std::vector<std::string>& all) {
  return !part.empty() && std::ranges::all_of(part, [&](const std::string& text) { return Contains(all, text); });
}

std::vector<std::string> KindsOf(std::vector<std::string> hints) {
  std::ranges::transform(hints, hints.begin(), WithoutNumbers);
  return hints;
}

std::string FirstLineOf(const Failure& failure) {
  const std::string& sentence = failure.finding.sentence;
  return WithoutNumbers(sentence.substr(0, sentence.find('\n')));
}

/// Ranks that crash or hang say little. What was refused or found without a value is another failure in other words.
bool HasItsWords(const Failure& smaller, const Failure& failure) {
  return EndsTheRanks(failure.result) || FirstLineOf(smaller) == FirstLineOf(failure);
}

/// A failure keeps what tells its cause apart: causes and factors may become fewer, other hints and what shows no value
/// stay the same but for their numbers. Where a value is wrong without a hint, any other may be.
bool TellsNoLess(const Failure& smaller, const Failure& failure) {
  if (smaller.finding.things < failure.finding.things) return false;
  if (!failure.finding.divergence) return HasItsWords(smaller, failure);
  const Divergence& before = *failure.finding.divergence;
  const Divergence after = smaller.finding.divergence.value_or(Divergence());
  if (!before.causes.empty()) return IsPartOf(KindsOf(after.causes), KindsOf(before.causes));
  if (before.factors.empty()) return before.note.empty() || WithoutNumbers(after.note) == WithoutNumbers(before.note);
  return IsPartOf(after.factors, before.factors);
}

/// Judges cases, keeps count, and holds the smallest failure.
class Search {
 public:
  Search(const ConfigurationPlan& plan, const Capabilities& capabilities, const PairTable& pairs,
         ConfigurationOutcome& outcome)
      : plan_(plan), capabilities_(capabilities), pairs_(pairs), outcome_(outcome) {}

  /// False when the search is over.
  bool RunRandom(const RandomCases::Drawn& drawn) {
    if (outcome_.cut_short || !plan_.ended().empty()) return false;
    if (suspects_.Are(drawn.features) || !Judge(drawn.value, drawn.features)) return true;
    ++outcome_.random_cases;
    for (const std::string& feature : drawn.features) ++outcome_.features[feature];
    outcome_.pairs.merge(PairsOf(drawn.value));
    pairs_.Add(drawn.value, outcome_.met);
    if (!outcome_.failure) {
      suspects_.Clear(drawn.features);
      return true;
    }
    if (outcome_.ended.empty() || EndsConfiguration(outcome_.failure->result)) Shrink(drawn.shrinkable);
    return GoesOn();
  }

  /// A case whose feature counts do not matter.
  void RunSaved(const Case& c) { Judge(c, FeaturesOf(c)); }

  /// The case that shows an expectation: anything but the failure that it tells of makes it stale.
  void RunShown(const Expectation& expectation) {
    shown_ = &expectation;
    const bool run = Judge(expectation.shown_by, FeaturesOf(expectation.shown_by));
    shown_ = nullptr;
    if (ExpectedFailures* seen = SeenOf(expectation)) {
      seen->shown = true;
    } else if (outcome_.failure) {
      outcome_.otherwise.push_back({&expectation, "its case fails otherwise: " + outcome_.failure->finding.sentence});
    } else {
      outcome_.otherwise.push_back(
          {&expectation, run ? "its case passes" : "its case is not available: " + outcome_.reason});
    }
  }

 private:
  /// After a run that ended without values: with cases that lack what may have ended it, a few times.
  bool GoesOn() {
    if (EndsConfiguration(outcome_.failure->result) || outcome_.ended.size() + 1 >= kMostEnded) return false;
    if (!suspects_.Add(FeaturesOf(outcome_.failure->c))) return false;
    outcome_.failure->finding.sentence +=
        fmt::format("\nIts configuration went on with cases that do not have all of: {}", suspects_.Text());
    outcome_.ended.push_back(*std::move(outcome_.failure));
    outcome_.failure.reset();
    return true;
  }

  Trial NewTrial() const {
    return Trial([this](const Case& c) { return plan_.run(plan_.configuration, c); }, capabilities_);
  }

  /// False when the subject does not declare what the case needs: then it is neither counted nor a failure.
  bool Judge(const Case& c, const std::set<std::string>& features) {
    Trial trial = NewTrial();
    std::optional<Failure> failure = Try(plan_.judge, trial, c);
    if (failure && failure->result == Result::kNotApplicable) {
      outcome_.reason = failure->finding.sentence;
      return false;
    }
    ++outcome_.cases;
    outcome_.asked.Add(plan_.essential, features);
    plan_.progress();
    if (!failure && !trial.evidence().empty()) ++outcome_.sources[trial.evidence().best()];
    outcome_.unread.insert(trial.evidence().unread().begin(), trial.evidence().unread().end());
    for (const std::string& what : trial.evidence().not_measured()) outcome_.not_measured[what] += !failure;
    if (failure && Expect(*failure)) return true;
    if (!failure) return true;
    plan_.failed(failure->finding.sentence);
    wrong_and_right_ = trial.WrongAndRightParameters();
    outcome_.failure = std::move(failure);
    return true;
  }

  /// From the failing case to simpler ones that fail in the same way, until none does or the budget is spent. A case
  /// that is about the clause stays so, and a hint stays of its kind: W, K, R and S remain apart where it needs them.
  /// An error of the harness costs nothing here: the failure stands as it was found.
  void Shrink(const rc::Shrinkable<Case>& failing) {
    const std::set<std::string> features = FeaturesOf(failing.value());
    shrunk_is_about_clause_ = IsAbout(plan_.essential, features);
    shrink_start_ = Clock::now();
    shrink_tries_ = EndsTheRanks(outcome_.failure->result) ? plan_.shrink.tries_of_dead_runs : plan_.shrink.tries;
    const Case drawn = outcome_.failure->c;
    rc::Seq<rc::Shrinkable<Case>> simpler = failing.shrinks();
    try {
      while (rc::Maybe<rc::Shrinkable<Case>> candidate = MayShrink() ? simpler.next() : rc::Nothing) {
        if (FailsLikewise(candidate->value())) simpler = candidate->shrinks();
      }
    } catch (const HarnessError&) {
    }
    std::optional<Divergence>& shrunk = outcome_.failure->finding.divergence;
    if (shrunk && drawn != outcome_.failure->c) shrunk->wrong_and_right = wrong_and_right_;
    if (features != FeaturesOf(outcome_.failure->c)) outcome_.failure->drawn_features = features;
  }

  bool MayShrink() const {
    return shrink_tries_ > 0 && Clock::now() - shrink_start_ <= plan_.shrink.time && plan_.ended().empty();
  }

  bool FailsLikewise(const Case& c) {
    if (shrunk_is_about_clause_ && !IsAbout(plan_.essential, FeaturesOf(c))) return false;
    --shrink_tries_;
    Trial trial = NewTrial();
    std::optional<Failure> failure = Try(plan_.judge, trial, c);
    if (!failure || failure->result != outcome_.failure->result || ExpectationOf(*failure)) return false;
    if (!TellsNoLess(*failure, *outcome_.failure)) return false;
    outcome_.failure = std::move(failure);
    return true;
  }

  /// The first that expects the failure; of an expectation's own case itself, which others may be about too.
  const Expectation* ExpectationOf(const Failure& failure) const {
    if (shown_ && Expects(*shown_, failure)) return shown_;
    const auto found =
        std::ranges::find_if(plan_.expectations, [&](const Expectation* e) { return Expects(*e, failure); });
    return found == plan_.expectations.end() ? nullptr : *found;
  }

  ExpectedFailures* SeenOf(const Expectation& expectation) {
    const auto found = std::ranges::find(outcome_.expected, &expectation, &ExpectedFailures::expectation);
    return found == outcome_.expected.end() ? nullptr : &*found;
  }

  /// Counts a failure that is as expected; the search goes on, for there may be others.
  bool Expect(const Failure& failure) {
    const Expectation* expectation = ExpectationOf(failure);
    if (!expectation) return false;
    if (!SeenOf(*expectation)) outcome_.expected.push_back({.expectation = expectation, .first = failure});
    ++SeenOf(*expectation)->cases;
    outcome_.cut_short = outcome_.cut_short || EndsTheRanks(failure.result);
    return true;
  }

  const ConfigurationPlan& plan_;
  const Capabilities& capabilities_;
  const PairTable& pairs_;
  ConfigurationOutcome& outcome_;
  Suspects suspects_;
  const Expectation* shown_ = nullptr;  // whose own case runs
  int shrink_tries_ = 0;
  bool shrunk_is_about_clause_ = false;
  std::string wrong_and_right_;  // of the case as it was drawn
  Clock::time_point shrink_start_;
};

/// Was the case saved for these conditions, and is it as the run asks?
bool IsAt(const Case& c, const CaseConditions& conditions) {
  return c.world_size() == conditions.world_size && c.experiment.precision == conditions.precision &&
         Meets(c, conditions.constraints);
}

void RunSavedCases(const ConfigurationPlan& plan, const Capabilities& can, Search& search,
                   const ConfigurationOutcome& outcome) {
  for (const std::string& path : SavedCases(plan.corpus)) {
    Case c;
    try {
      c = LoadCase(path);
    } catch (const std::exception& error) {
      throw HarnessError(error.what());
    }
    if (!IsAt(c, plan.conditions) || RoundsTheMean(can, c)) continue;
    search.RunSaved(c);
    if (outcome.failure) return;
  }
}

void RunCasesOfExpectations(const ConfigurationPlan& plan, Search& search, const ConfigurationOutcome& outcome) {
  for (const Expectation* e : plan.expectations) {
    if (plan.shows_expectations && IsAt(e->shown_by, plan.conditions) && !outcome.failure) search.RunShown(*e);
  }
}

void RunRandomCases(ConfigurationPlan& plan, Search& search) {
  for (RandomCases& of_seed : plan.random_cases) {
    for (int i = 0; i < plan.cases; ++i) {
      if (!search.RunRandom(of_seed.At(static_cast<size_t>(i)))) return;
    }
  }
}

bool IsOnlySelfReported(const FigureSources& sources) {
  return sources.size() == 1 && sources.contains(FigureSource::kSubject);
}

/// "not measured: the CPU time of a step", of what no case showed; "" where there is nothing.
std::string NotMeasuredText(const ConfigurationOutcome& outcome) {
  std::vector<std::string> nowhere;
  for (const auto& [what, cases] : outcome.not_measured) {
    if (cases == outcome.cases) nowhere.push_back(what);
  }
  return nowhere.empty() ? "" : fmt::format("{}{}", kNotMeasured, fmt::join(nowhere, ", "));
}

Result WorstOf(const Failure& failure, const std::vector<Failure>& ended) {
  Result worst = failure.result;
  for (const Failure& other : ended) worst = WorstInConfiguration(worst, other.result);
  return worst;
}

Result ResultOf(const ConfigurationPlan& plan, ConfigurationOutcome& outcome) {
  if (!outcome.otherwise.empty()) {
    outcome.reason = outcome.otherwise.front().what;
    return Result::kStale;
  }
  if (!outcome.failure && !outcome.ended.empty()) {  // nothing was found behind it
    outcome.failure = std::move(outcome.ended.front());
    outcome.ended.erase(outcome.ended.begin());
  }
  if (outcome.failure) return WorstOf(*outcome.failure, outcome.ended);
  if (outcome.cut_short) {
    outcome.reason = "the expected failure ends the ranks: the other cases did not run";
    return Result::kExpected;
  }
  if (outcome.cases == 0 && !outcome.reason.empty()) return Result::kNotApplicable;
  const int64_t planned = plan.cases * std::ssize(plan.random_cases);
  if (outcome.random_cases >= planned && outcome.cases > 0) {
    outcome.reason = NotMeasuredText(outcome);  // a saved case that is not available takes nothing from the others
    if (!outcome.expected.empty()) return Result::kExpected;
    if (!IsOnlySelfReported(outcome.sources)) return Result::kPass;
    outcome.reason = "the figures of these cases are self-reported";
    if (!outcome.unread.empty())
      outcome.reason += fmt::format(", for {} cannot be read here", fmt::join(outcome.unread, ", "));
    return Result::kSelfReported;
  }
  if (const std::string ended = plan.ended(); !ended.empty()) outcome.reason = ended;
  outcome.reason = fmt::format("{} of {} random cases ran{}{}", outcome.random_cases, planned,
                               outcome.reason.empty() ? "" : ": ", outcome.reason);
  return Result::kTooFew;
}

}  // namespace

ConfigurationOutcome RunConfiguration(ConfigurationPlan& plan, const SessionSettings& settings) {
  ConfigurationOutcome outcome;
  const Capabilities& capabilities = settings.info.capabilities;
  if (!plan.missing.empty()) {
    outcome.reason = plan.missing;
    outcome.asked_elsewhere = plan.asked_elsewhere;
    outcome.result = Result::kNotApplicable;
    return outcome;
  }
  const PairTable pairs(plan.space, TermsOf(settings));
  Search search(plan, capabilities, pairs, outcome);
  try {
    RunCasesOfExpectations(plan, search, outcome);
    if (!outcome.failure && !outcome.cut_short) RunSavedCases(plan, capabilities, search, outcome);
    if (!outcome.failure) RunRandomCases(plan, search);
  } catch (const Interrupted&) {  // what was judged before stands
  }
  outcome.result = ResultOf(plan, outcome);
  return outcome;
}

}  // namespace zerocts
