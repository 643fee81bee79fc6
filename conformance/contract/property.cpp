#include "conformance/contract/property.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <exception>
#include <unordered_map>

#include "conformance/cases/corpus.hpp"
#include "conformance/cases/features.hpp"
#include "conformance/cases/generate.hpp"

namespace zerocts {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDrawsForAFloor = 50;

class SilentListener : public rc::detail::TestListener {
 public:
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

bool EndsTheRanks(Result result) { return result != Result::kFail && result != Result::kRefused; }

/// The property. RapidCheck shrinks without a budget and takes any exception for a failure, so this decides what
/// RapidCheck gets to see: what is out of budget or time passes unseen, and errors of the harness are kept aside.
class Search {
 public:
  Search(const StratumPlan& plan, StratumOutcome& outcome) : plan_(plan), outcome_(outcome), wanted_(plan.wanted) {}

  /// Has the case a feature whose floor is not reached yet? Any case is wanted when all are.
  bool Wants(const Case& c) const {
    if (wanted_.empty()) return true;
    return std::ranges::any_of(FeaturesOf(c), [this](const std::string& feature) { return wanted_.contains(feature); });
  }

  /// False when the case fails and is the smallest so far.
  bool Passes(const Case& c) {
    if (harness_error_ || stopped_ || outcome_.cut_short) return true;
    try {
      return outcome_.failure ? !IsSmallerFailure(c) : PassesAtFirst(c);
    } catch (const HarnessError&) {
      harness_error_ = std::current_exception();
      return true;
    }
  }

  /// A case whose feature counts do not matter.
  void RunSaved(const Case& c) { Judge(c); }

  /// The case that shows an expectation: anything but the failure that it tells of makes it stale.
  void RunShown(const Expectation& expectation) {
    const bool run = Judge(expectation.shown_by);
    if (ExpectedFailures* seen = SeenOf(expectation)) {
      seen->shown = true;
    } else if (outcome_.failure) {
      outcome_.otherwise.push_back({&expectation, "its case fails otherwise: " + outcome_.failure->finding.sentence});
    } else {
      outcome_.otherwise.push_back({&expectation, run ? "its case passes" : "its case is not offered: " + outcome_.reason});
    }
  }

  /// An error while only shrinking costs nothing: the failure stands as it was found.
  void RethrowHarnessError() const {
    if (harness_error_ && !outcome_.failure) std::rethrow_exception(harness_error_);
  }

 private:
  bool PassesAtFirst(const Case& c) {
    if (plan_.out_of_time()) {
      stopped_ = true;
      return true;
    }
    if (!Judge(c)) return true;
    ++outcome_.random_cases;
    for (const std::string& feature : FeaturesOf(c)) Count(feature);
    outcome_.pairs.merge(PairsOf(c));
    return !outcome_.failure;
  }

  void Count(const std::string& feature) {
    ++outcome_.features[feature];
    const auto wanted = wanted_.find(feature);
    if (wanted != wanted_.end() && --wanted->second == 0) wanted_.erase(wanted);
  }

  /// False when the subject does not offer what the case needs: then it is neither counted nor a failure.
  bool Judge(const Case& c) {
    std::optional<Failure> failure = Try(plan_.judge, plan_.stratum, c);
    if (failure && failure->result == Result::kUnsupported) {
      outcome_.reason = failure->finding.sentence;
      return false;
    }
    plan_.progress(++outcome_.cases);
    if (failure && Expect(*failure)) return true;
    if (failure) {
      shrink_start_ = Clock::now();
      shrink_tries_ = EndsTheRanks(failure->result) ? plan_.shrink.tries_of_dead_runs : plan_.shrink.tries;
      outcome_.failure = std::move(failure);
    }
    return true;
  }

  bool IsSmallerFailure(const Case& c) {
    if (shrink_tries_ == 0 || Clock::now() - shrink_start_ > plan_.shrink.time || plan_.out_of_time()) return false;
    --shrink_tries_;
    std::optional<Failure> failure = Try(plan_.judge, plan_.stratum, c);
    if (!failure || failure->result != outcome_.failure->result || ExpectationOf(*failure)) return false;
    outcome_.failure = std::move(failure);
    return true;
  }

  const Expectation* ExpectationOf(const Failure& failure) const {
    const auto found = std::ranges::find_if(plan_.expectations, [&](const Expectation* e) { return Expects(*e, failure); });
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

  const StratumPlan& plan_;
  StratumOutcome& outcome_;
  FeatureCounts wanted_;
  bool stopped_ = false;
  int shrink_tries_ = 0;
  Clock::time_point shrink_start_;
  std::exception_ptr harness_error_;
};

void RunSavedCases(const StratumPlan& plan, const SessionSettings& settings, Search& search,
                   const StratumOutcome& outcome) {
  const auto allowed = [](const auto& list, const auto& item) {
    return list.empty() || std::ranges::find(list, item) != list.end();
  };
  for (const std::string& path : SavedCases(plan.corpus)) {
    Case c;
    try {
      c = LoadCase(path);
    } catch (const std::exception& error) {
      throw HarnessError(error.what());
    }
    const bool here = c.world_size() == plan.stratum.world_size && c.experiment.precision == plan.stratum.precision;
    if (!here || !allowed(settings.stages, c.stage) || !allowed(settings.plans, c.plan)) continue;
    search.RunSaved(c);
    if (outcome.failure) return;
  }
}

void RunCasesOfExpectations(const StratumPlan& plan, Search& search, const StratumOutcome& outcome) {
  for (const Expectation* e : plan.expectations) {
    const bool here = e->shown_by.world_size() == plan.stratum.world_size && e->shown_by.experiment.precision == plan.stratum.precision;
    if (here && !outcome.failure) search.RunShown(*e);
  }
}

/// Of a few cases the first that is wanted, or else the first. Sizes are drawn too: RapidCheck's grow with the number of
/// a case, and a stratum may have a single one.
rc::Gen<Case> WantedOf(const rc::Gen<Case>& cases, const Search& search) {
  return [=, &search](const rc::Random& random, int) {
    rc::Random stream(random);
    const auto draw = [&] {
      rc::Random of_size = stream.split();
      return cases(stream.split(), static_cast<int>(of_size.next() % 101));
    };
    const rc::Shrinkable<Case> first = draw();
    if (search.Wants(first.value())) return first;
    for (int tries = 1; tries < kDrawsForAFloor; ++tries) {
      const rc::Shrinkable<Case> other = draw();
      if (search.Wants(other.value())) return other;
    }
    return first;
  };
}

void RunRandomCases(const StratumPlan& plan, const Capabilities& capabilities, Search& search,
                    const StratumOutcome& outcome) {
  rc::detail::TestParams parameters;
  parameters.seed = plan.seed;
  parameters.maxSuccess = plan.cases;
  parameters.disableShrinking = plan.shrink.tries == 0;
  const rc::Gen<Case> cases = WantedOf(CasesOf(plan.space, plan.place, capabilities), search);
  SilentListener listener;
  // With every argument given nothing comes from RC_PARAMS, whose "reproduce" would let a property pass unrun.
  const std::unordered_map<std::string, rc::detail::Reproduce> no_reproduction;
  const rc::detail::TestResult result = rc::detail::checkTestable(
      [&] { return search.Passes(*cases); }, rc::detail::TestMetadata{}, parameters, listener, no_reproduction);
  search.RethrowHarnessError();
  rc::detail::FailureResult failure;
  if (result.match(failure) && !outcome.failure)
    throw HarnessError("the generator of " + plan.space.clause + " failed: " + failure.description);
}

Result ResultOf(const StratumPlan& plan, StratumOutcome& outcome) {
  if (!outcome.otherwise.empty()) {
    outcome.reason = outcome.otherwise.front().what;
    return Result::kStale;
  }
  if (outcome.failure) return outcome.failure->result;
  if (outcome.cut_short) {
    outcome.reason = "the expected failure ends the ranks: the other cases did not run";
    return Result::kExpected;
  }
  if (outcome.cases == 0 && !outcome.reason.empty()) return Result::kUnsupported;
  if (outcome.random_cases >= plan.cases && outcome.cases > 0) {
    outcome.reason.clear();  // a saved case that is not offered takes nothing from the others
    return outcome.expected.empty() ? Result::kPass : Result::kExpected;
  }
  if (plan.out_of_time()) outcome.reason = "the time budget was spent";
  outcome.reason = fmt::format("{} of {} random cases ran{}{}", outcome.random_cases, plan.cases,
                               outcome.reason.empty() ? "" : ": ", outcome.reason);
  return Result::kTooFew;
}

}  // namespace

StratumOutcome RunStratum(const StratumPlan& plan, const SessionSettings& settings) {
  StratumOutcome outcome;
  const Capabilities& capabilities = settings.info.capabilities;
  if (!plan.missing.empty()) {
    outcome.reason = plan.missing;
    outcome.result = Result::kUnsupported;
    return outcome;
  }
  Search search(plan, outcome);
  RunCasesOfExpectations(plan, search, outcome);
  if (!outcome.failure && !outcome.cut_short) RunSavedCases(plan, settings, search, outcome);
  if (!outcome.failure) RunRandomCases(plan, capabilities, search, outcome);
  outcome.result = ResultOf(plan, outcome);
  return outcome;
}

}  // namespace zerocts
