// What `zerocts run` prints.
#pragma once
#include <chrono>
#include <string>

#include "conformance/cli/train/run_case.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/session/run/training_run.hpp"

namespace zerocts {

/// What is trained, by whom, and what is judged.
void PrintRunHead(const SubjectInfo& subject, LauncherKind launcher, const RunCase& run, Beside beside);

/// A line for the first step, the last, every tenth, and after a silence.
class StepLines {
 public:
  StepLines(const Experiment& e, Beside beside) : e_(e), beside_(beside) {}
  void Tell(const TrainedStep& step);

 private:
  std::string OfReference(const TrainedStep& step) const;

  const Experiment& e_;
  const Beside beside_;
  std::chrono::steady_clock::time_point told_at_ = std::chrono::steady_clock::now();
};

/// Hashes and speed of a training without a difference, and the verdict. Returns the exit code.
int PrintEnd(const Case& c, Beside beside, const Training& training);

}  // namespace zerocts
