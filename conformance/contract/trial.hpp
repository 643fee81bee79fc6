// What a judge asks for: ranks that run a case, and what the subject declares.
#pragma once
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/case/observation.hpp"

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
    if (first_ranks_.empty()) first_case_ = c, first_ranks_ = result.ranks;
    return result;
  }
  /// Its observations; of those who save, where others load what they saved.
  Observations Observe(const Case& c) { return Run(c).ranks; }

  /// What the first run showed; empty before it.
  const Case& first_case() const { return first_case_; }
  const Observations& first_ranks() const { return first_ranks_; }

  /// The figures that the verdict rests on; the judge's checks add them.
  Evidence& evidence() { return evidence_; }

  /// How each rank ended in the last run, or in the one that a judge shows.
  const std::vector<RankReport>& reports() const { return reports_; }
  /// Those of an earlier run, on which the finding rests.
  void Show(std::vector<RankReport> reports) { reports_ = std::move(reports); }

 private:
  const std::function<RunResult(const Case&)> run_;
  const Capabilities& can_;
  Case first_case_;
  Observations first_ranks_;
  std::vector<RankReport> reports_;
  Evidence evidence_;
};

}  // namespace zerocts
