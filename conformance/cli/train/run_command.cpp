// zerocts run: a subject's ranks train a model on a text, step by step beside the reference.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "conformance/cli/check/preflight.hpp"
#include "conformance/cli/check/subject_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/help_groups.hpp"
#include "conformance/cli/mesh_option.hpp"
#include "conformance/cli/train/run_case.hpp"
#include "conformance/cli/train/train_options.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "conformance/report/view/endings.hpp"
#include "conformance/report/view/verdict_of_run.hpp"
#include "conformance/session/run/training_run.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

constexpr auto kQuietFor = std::chrono::seconds(2);  // a line at least so often, where steps take less
constexpr int64_t kShownEvery = 10;

const char* WhatIsSaidOf(Beside beside) {
  switch (beside) {
    case Beside::kBits: return "Beside the reference: every loss, norm and parameter must have its bits";
    case Beside::kLosses:
      return "Beside the reference, whose arithmetic is another: losses are judged while a bound of theirs is derived";
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

/// How many losses were judged, whether they are within their bound, and how much of it was used at most.
std::string LossVerdict(const Training& training) {
  const std::vector<TrainedStep>& steps = training.steps;
  const auto judged = std::ranges::count_if(steps, [](const TrainedStep& step) { return step.loss_bound.has_value(); });
  const std::string off =
      fmt::format("losses were off the reference's by at most {:.1e}; all ranks hold the same parameters",
                  LargestLossDifference(steps));
  if (judged == 0) return fmt::format("not judged: {}; {}", training.beyond_bound, off);
  const TrainedStep& closest = *std::ranges::max_element(steps, {}, &TrainedStep::share_of_bound);
  std::string text = fmt::format(
      "the losses of {} of {} steps are within the derived bound: at most {:.2g} % of it used, in step {} with loss "
      "{:.4f} and "
      "bound {:.1e}",
      judged, steps.size(), 100 * closest.share_of_bound, closest.step + 1, closest.mean_loss, *closest.loss_bound);
  if (judged < std::ssize(steps)) text += fmt::format("\nthe other losses are not judged: {}", training.beyond_bound);
  return text + "\n" + off;
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
    case Beside::kLosses: fmt::print("{}\n", LossVerdict(training)); break;
    case Beside::kAlone: fmt::print("not judged: alone\n"); break;
  }
  return ExitCodeOf(Result::kPass);
}

/// What is trained, by whom, and what is judged.
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

/// A line for the first step, the last, every tenth, and after a silence.
class StepLines {
 public:
  StepLines(const Experiment& e, Beside beside) : e_(e), beside_(beside) {}

  void Tell(const TrainedStep& step) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_shown = step.step % kShownEvery == 0 || step.step + 1 == e_.steps || now - shown_at_ > kQuietFor;
    if (!is_shown) return;
    shown_at_ = now;
    fmt::print("{}  {:.0f} tokens/s{}\n",
               StepText(e_, step.step, step.mean_loss, step.grad_norm, step.clip_coefficient),
               TokensPerStep(e_) / step.seconds, OfReference(step));
    std::fflush(stdout);
  }

 private:
  std::string OfReference(const TrainedStep& step) const {
    if (beside_ != Beside::kLosses) return "";
    const std::string off = fmt::format("  loss off by {:.1e}", std::fabs(step.mean_loss - *step.reference_loss));
    if (!step.loss_bound) return off;
    return off + fmt::format(", bound {:.1e}, {:.2g} % of it used", *step.loss_bound, 100 * step.share_of_bound);
  }

  const Experiment& e_;
  const Beside beside_;
  std::chrono::steady_clock::time_point shown_at_ = std::chrono::steady_clock::now();
};

/// Hashes and speed of a training without a difference, and the verdict. Returns the exit code.
int PrintEnd(const Case& c, Beside beside, const Training& training) {
  if (training.result.ending == Ending::kObserved && !training.finding) {
    const auto hashes = HashesOf(c.experiment, training.result.ranks.front().tensors);
    if (!hashes.empty()) PrintHashes("parameter", hashes);
    PrintSpeed(c, beside, training);
  }
  return PrintVerdict(c, beside, training);
}

constexpr auto kStepDeadline = std::chrono::seconds(300);  // where none was named: a step of a large model takes long

struct RunCommandOptions {
  RunOptions run;
  SubjectOptions subject;
  std::string launcher = "local", mesh, threads;
  bool alone = false;
};

void UseMesh(const std::string& mesh, bool ranks_are_given, RunOptions& run) {
  const MeshTexts texts = ReadMesh(mesh, ranks_are_given ? run.ranks : "");
  run.ranks = texts.ranks;
  run.replicas = texts.replicas;
  run.tensor = texts.tensor;
}

/// What the reference is for; without it there is less to look at.
Beside BesideWhat(const RunCommandOptions& options, const Capabilities& can, Case& c) {
  if (options.alone) {
    c.poison_memory = c.observe_parameters = false;
    return Beside::kAlone;
  }
  const Beside beside = BesideFor(c, can);
  if (beside == Beside::kBits && c.reduction_order == "ring") {
    throw UsageError(
        "--order: expected tree or rank, got ring, in which the reference could add only when shards are known; take "
        "another one, or --alone");
  }
  return beside;
}

int Run(const RunCommandOptions& options) {
  RequireUtf8("--text", options.run.training.text);
  const int ranks = RanksOf(options.run);
  const LauncherKind launcher = OneLauncher(options.launcher, "one training");
  const SessionFolder folder;
  const SubjectSpec subject = SpecOf(options.subject);
  HostSettings host = HostSettingsOf(options.subject, folder);
  if (options.subject.deadline.empty()) host.case_deadline = kStepDeadline;
  const SubjectInfo info = RequireGroup(subject, host, launcher, ranks);
  RunCase run = CaseOf(options.run, info.capabilities);
  const bool threads = launcher == LauncherKind::kThreads;
  if (const std::string beyond = BeyondCapabilities(run.c, info.capabilities, threads); !beyond.empty()) {
    throw UsageError(fmt::format("{} does not declare {}; see zerocts subjects", info.name, beyond));
  }
  const Beside beside = BesideWhat(options, info.capabilities, run.c);
  PrintRunHead(info, launcher, run, beside);
  RankGroup group(subject, launcher, ranks, host);
  StepLines lines(run.c.experiment, beside);
  const Training training = Train(group, run.c, beside, HostOpsWith(ChosenHostKernels(), ThreadsOf(options.threads)),
                                  [&](const TrainedStep& step) { lines.Tell(step); });
  const int verdict = PrintEnd(run.c, beside, training);
  const RunResult stopped = group.Stop();
  if (stopped.ending == Ending::kObserved) return verdict;
  fmt::print("{} after the last step: {}\n", ToString(ResultOf(stopped.ending)), stopped.message);
  return GravestExitCode({verdict, ExitCodeOf(ResultOf(stopped.ending))});
}

}  // namespace

void AddRunCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<RunCommandOptions>();
  CLI::App* command = program.add_subcommand(
      "run", "Train a model on a text with a subject's ranks, and compare each step with the reference");
  AddSubjectOptions(*command, options->subject);
  command->get_option("--deadline")
      ->description("Seconds that one step may take before its ranks count as hanging (default: 300)");
  command->add_option("--launcher", options->launcher, LauncherSummaries())->capture_default_str();
  RunOptions& run = options->run;
  run.training.steps = "100";
  run.training.optimizer = "";  // of the subject
  command->add_option("--ranks", run.ranks, "Ranks, all in all: replicas x shards x tensor ranks")
      ->capture_default_str();
  command->add_option("--stage", run.stage, "ZeRO stage, 0 to 3 (default: the highest that the subject declares)");
  command->add_option("--tensor", run.tensor, "Ranks that split each layer among themselves")->capture_default_str();
  command->add_option("--replicas", run.replicas, "Replicas of the sharding group")->capture_default_str();
  AddMeshOption(*command, options->mesh);
  command->add_option("--plan", run.plan, "Shard plan (default: the subject's own)");
  command->add_option("--order", run.order, "Order of addition: tree, rank (default: the first that is declared)");
  command->add_option("--overlap", run.overlap, "Collectives beside the computation: any, off, on")
      ->capture_default_str();
  command->add_option("--offload", run.offload, "State that is offloaded to CPU memory: none, params, full")
      ->capture_default_str();
  const std::vector<CLI::Option*> trained = AddTrainOptions(*command, run.training);
  AddThreadsOption(*command, options->threads);
  command->add_flag("--alone", options->alone, "Without the reference, at full speed; nothing is judged");
  PutUnder(kWhatIsJudged, *command,
           {"--launcher", "--ranks", "--stage", "--tensor", "--replicas", "--mesh", "--plan", "--order", "--overlap",
            "--offload", "--alone"});
  for (const CLI::Option* option : trained) PutUnder(kWhatIsTrained, *command, {option->get_name()});
  PutUnder(kDeadlines, *command, {"--threads"});
  command->callback([command, options, &exit_code] {
    if (!options->mesh.empty()) UseMesh(options->mesh, command->count("--ranks") > 0, options->run);
    exit_code = Run(*options);
  });
}

}  // namespace zerocts
