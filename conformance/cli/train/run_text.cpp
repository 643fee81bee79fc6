#include "conformance/cli/train/run_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "conformance/cli/train/train_options.hpp"
#include "conformance/report/view/endings.hpp"
#include "conformance/report/view/verdict_of_run.hpp"

namespace zerocts {
namespace {

constexpr auto kQuietFor = std::chrono::seconds(2);  // a line at least so often, where steps take less
constexpr int64_t kToldEvery = 10;

const char* WhatIsSaidOf(Beside beside) {
  switch (beside) {
    case Beside::kBits: return "Beside the reference: every loss, norm and parameter must have its bits";
    case Beside::kLosses:
      return "Beside the reference, whose arithmetic is another: differences of losses are told, not judged";
    case Beside::kAlone: return "Alone: nothing is judged";
  }
  return "";
}

double SecondsOf(const std::vector<TrainedStep>& steps, double TrainedStep::*seconds) {
  double sum = 0;
  for (const TrainedStep& step : steps) sum += step.*seconds;
  return sum;
}

double LargestLossDifference(const std::vector<TrainedStep>& steps) {
  double largest = 0;
  for (const TrainedStep& step : steps) {
    const double difference = std::fabs(step.mean_loss - *step.reference_loss);
    if (!(difference <= largest)) largest = difference;  // one that is no number is the largest
  }
  return largest;
}

std::vector<std::pair<std::string, std::string>> HashesOf(const Experiment& e,
                                                          const std::vector<TensorRecord>& records) {
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const TensorRecord& record : records) {
    hashes.emplace_back(e.parameters[static_cast<size_t>(record.parameter)].name, record.hash);
  }
  return hashes;
}

void PrintSpeed(const Case& c, Beside beside, const Training& training) {
  const std::vector<TrainedStep>& steps = training.steps;
  const double tokens = static_cast<double>(steps.size()) * TokensPerStep(c.experiment);
  fmt::print("\nloss {:.5f} -> {:.5f} nats per token, {:.0f} predicted tokens/s", steps.front().mean_loss,
             steps.back().mean_loss, tokens / SecondsOf(steps, &TrainedStep::seconds));
  if (beside != Beside::kAlone) {
    fmt::print(" (reference, one process: {:.0f})", tokens / SecondsOf(steps, &TrainedStep::reference_seconds));
  }
  fmt::print("\n");
}

int PrintVerdict(const Case& c, Beside beside, const Training& training) {
  const int64_t made = std::ssize(training.steps);
  if (training.result.ending != Ending::kObserved) {
    const Result result = ResultOf(training.result.ending);
    fmt::print("\n{} after {} of {} steps: {}\n", ToString(result), made, c.experiment.steps, training.result.message);
    for (const RankReport& report : training.result.reports) {
      fmt::print("  rank {}: {}\n{}", report.rank, report.state, report.output);
    }
    return ExitCodeOf(result);
  }
  if (training.finding) {
    fmt::print("\nDIFFERENT after {} of {} steps, counted from step 0: {}\n", made, c.experiment.steps,
               training.finding->sentence);
    if (training.finding->divergence) fmt::print("{}\n", ToString(*training.finding->divergence));
    return ExitCodeOf(Result::kFail);
  }
  switch (beside) {
    case Beside::kBits:
      fmt::print("the bits of the reference in all {} steps: every loss, norm and parameter of every rank\n", made);
      break;
    case Beside::kLosses:
      fmt::print("not judged: losses were off by at most {:.1e}; all ranks hold the same parameters\n",
                 LargestLossDifference(training.steps));
      break;
    case Beside::kAlone: fmt::print("not judged: alone\n"); break;
  }
  return ExitCodeOf(Result::kPass);
}

}  // namespace

void PrintRunHead(const SubjectInfo& subject, LauncherKind launcher, const RunCase& run, Beside beside) {
  const Case& c = run.c;
  const Experiment& e = c.experiment;
  PrintTraining(e);
  fmt::print("{} {} on {}: {}; sums in the order {}, {} sequences per micro-batch\n{}\n", subject.name, subject.version,
             ToString(launcher), Summary(c), c.reduction_order, e.batch, WhatIsSaidOf(beside));
  for (const std::string& note : run.notes) fmt::print("note: {}\n", note);
  fmt::print("\n");
  std::fflush(stdout);
}

void StepLines::Tell(const TrainedStep& step) {
  const auto now = std::chrono::steady_clock::now();
  const bool is_told = step.step % kToldEvery == 0 || step.step + 1 == e_.steps || now - told_at_ > kQuietFor;
  if (!is_told) return;
  told_at_ = now;
  fmt::print("{}  {:.0f} tokens/s{}\n", StepText(e_, step.step, step.mean_loss, step.grad_norm, step.clip_coefficient),
             TokensPerStep(e_) / step.seconds, OfReference(step));
  std::fflush(stdout);
}

std::string StepLines::OfReference(const TrainedStep& step) const {
  if (beside_ != Beside::kLosses) return "";
  return fmt::format("  loss off by {:.1e}", std::fabs(step.mean_loss - *step.reference_loss));
}

int PrintEnd(const Case& c, Beside beside, const Training& training) {
  if (training.result.ending == Ending::kObserved && !training.finding) {
    const auto hashes = HashesOf(c.experiment, training.result.ranks.front().tensors);
    if (!hashes.empty()) PrintHashes("parameter", hashes);
    PrintSpeed(c, beside, training);
  }
  return PrintVerdict(c, beside, training);
}

}  // namespace zerocts
