// What a run says: for people, for programs, for CI.
#pragma once
#include <string>
#include <vector>

#include "conformance/plans/fuzz/corpus.hpp"
#include "conformance/plans/fuzz/fuzz_run.hpp"
#include "conformance/plans/plan_fuzz.hpp"

namespace zerocts {

/// A run whose counterexamples are on disk.
struct SavedRun {
  const FuzzOutcome& outcome;
  const FuzzSettings& settings;
  const PlanFuzzOptions& options;
  std::vector<SavedCase> counterexamples;  // as outcome.counterexamples
  SavedCase end;                           // of outcome.end

  int exit_code() const;
  /// nullptr: it is not broken.
  const Counterexample* Found(const std::string& property) const;
  /// Cases of which the property asked something.
  int Judged(const std::string& property) const;
};

/// Writes counterexamples to options.out.
SavedRun Saved(const FuzzOutcome& outcome, const FuzzSettings& settings, const PlanFuzzOptions& options);

std::string FuzzText(const SavedRun& run);
std::string FuzzJson(const SavedRun& run);
/// One test case per property, and one for the planner's own end.
std::string FuzzJUnit(const SavedRun& run);

}  // namespace zerocts
