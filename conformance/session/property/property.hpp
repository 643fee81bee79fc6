// A clause in one configuration as a property of cases: the saved corpus first, then random cases, then the smallest
// case that still fails. Configurations may run side by side.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/drawing/value_pairs.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/configuration/settings.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"
#include "conformance/session/coverage/essential.hpp"
#include "conformance/session/coverage/pairs.hpp"
#include "conformance/session/expectations/expectations.hpp"
#include "conformance/session/property/random_cases.hpp"

namespace zerocts {

/// How much work shrinking may cost. Runs that end in a crash or a hang are expensive: each costs a group of ranks and
/// up to a deadline.
struct ShrinkBudget {
  int tries = 200;
  int tries_of_dead_runs = 3;
  std::chrono::seconds time{20};
};

struct ConfigurationPlan {
  const CaseSpace& space;
  const Judge& judge;
  const Runner& run;
  Configuration configuration;
  CaseConditions conditions;
  std::string missing;  // Missing(space, conditions, ..) or of what is essential: nothing runs where it is not ""
  bool asked_elsewhere = false;                  // what is missing is essential, and other configurations have it
  Essential essential;                           // of the clause
  int cases = 0;                                 // so many of each of random_cases run
  std::vector<RandomCases> random_cases = {};    // of each seed; none where something is missing
  std::string corpus;                            // folder; those of its cases run that belong to the configuration
  std::vector<const Expectation*> expectations;  // that cover the configuration
  bool shows_expectations = true;                // their cases run, too
  ShrinkBudget shrink;
  std::function<std::string()> ended;  // why no more cases run; "": they do
  std::function<void()> progress;      // after each case
  std::function<void(const std::string& sentence)> failed = [](const std::string&) {};  // as it is found, not shrunk
};

/// What failed as an expectation says.
struct ExpectedFailures {
  const Expectation* expectation;
  int64_t cases = 0;
  bool shown = false;  // its own case is among them
  Failure first;
};
/// The expectation's own case did not fail as it says.
struct Unexpected {
  const Expectation* expectation;
  std::string what;
};

/// Cases by the best source of the figures that they rest on; a case without figures is none of them.
using FigureSources = std::map<FigureSource, int64_t>;

struct ConfigurationOutcome {
  Result result = Result::kPass;
  std::string reason;  // why self-reported, not applicable or too few; what could not be measured
  bool asked_elsewhere = false;
  int64_t cases = 0;  // judged, corpus included, shrinking not
  int64_t random_cases = 0;
  FeatureCounts features;                       // of the random cases
  Pairs pairs;                                  // as above
  ValuePairs met;                               // pairs of values, as above
  Asked asked;                                  // by all cases
  FigureSources sources;                        // of the cases that passed
  std::set<std::string> unread;                 // that would have been a better source
  std::map<std::string, int64_t> not_measured;  // what, in so many of the cases that passed
  std::optional<Failure> failure;               // shrunk
  std::vector<Failure> ended;  // other runs that ended without values, after which the configuration went on
  std::vector<ExpectedFailures> expected;
  std::vector<Unexpected> otherwise;
  bool cut_short = false;  // by an expected failure that ends the ranks: each of its like would cost a group of them
};

/// Throws HarnessError.
ConfigurationOutcome RunConfiguration(ConfigurationPlan& plan, const SessionSettings& settings);

}  // namespace zerocts
