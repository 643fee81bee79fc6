// What a judge asks for: ranks that run a case, and what the subject declares.
#pragma once
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/cause/causes.hpp"

namespace zerocts {

using Observations = std::vector<RankObservation>;  // [world_size]

/// A run that did not end with observations.
struct RunEnded : std::exception {
  RunResult result;
  explicit RunEnded(RunResult r) : result(std::move(r)) {}
  const char* what() const noexcept override { return result.message.c_str(); }
};

/// One case on its way through its judge, which may run it several times, or variants of it.
class Trial {
 public:
  /// `run` gives a case to ranks; `can` outlives the trial.
  Trial(std::function<RunResult(const Case&)> run, const Capabilities& can) : run_(std::move(run)), can_(can) {}

  const Capabilities& can() const { return can_; }

  /// Runs a case on c.world_size() ranks. Throws RunEnded for anything but kObserved.
  RunResult Run(const Case& c) {
    RunResult result = run_(c);
    reports_ = result.reports;
    if (result.ending != Ending::kObserved) throw RunEnded(std::move(result));
    if (!std::exchange(has_run_, true)) Keep(c, result.ranks);
    return result;
  }
  /// Its observations; of those who save, where others load what they saved.
  Observations Observe(const Case& c) { return Run(c).ranks; }

  /// Mistakes that explain what the first run showed (check/cause/causes.hpp), found once.
  const std::vector<std::string>& Causes() {
    if (!causes_) causes_ = CausesOf(first_case_, first_ranks_);
    return *causes_;
  }
  /// Its wrong parameters and its right ones.
  std::string WrongAndRightParameters() const { return WrongAndRight(first_case_, first_ranks_); }

  /// The figures that the verdict rests on; the judge's checks add them.
  Evidence& evidence() { return evidence_; }

  /// How each rank ended in the last run, or in the one that a judge shows.
  const std::vector<RankReport>& reports() const { return reports_; }
  /// Those of an earlier run, on which the finding rests.
  void Show(std::vector<RankReport> reports) { reports_ = std::move(reports); }

 private:
  void Keep(const Case& c, const Observations& ranks) {
    if (!MistakesCanBeTried(c)) return;
    first_case_ = c;
    first_ranks_ = ranks;
  }

  const std::function<RunResult(const Case&)> run_;
  const Capabilities& can_;
  bool has_run_ = false;
  Case first_case_;
  Observations first_ranks_;  // none of a case whose mistakes cannot be tried
  std::optional<std::vector<std::string>> causes_;
  std::vector<RankReport> reports_;
  Evidence evidence_;
};

}  // namespace zerocts
