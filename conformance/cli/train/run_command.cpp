// zerocts run: a subject's ranks train a model on a text, step by step beside the reference.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "conformance/cli/check/preflight.hpp"
#include "conformance/cli/check/subject_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/train/run_case.hpp"
#include "conformance/cli/train/run_text.hpp"
#include "conformance/cli/train/train_options.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "conformance/report/view/endings.hpp"
#include "conformance/report/view/verdict_of_run.hpp"
#include "conformance/session/run/training_run.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

constexpr auto kStepDeadline = std::chrono::seconds(300);  // where none was named: a step of a large model takes long

struct RunCommandOptions {
  RunOptions run;
  SubjectOptions subject;
  std::string launcher = "local", threads;
  bool alone = false;
};

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
      "run", "Train a model on a text with a subject's ranks, step by step beside the reference");
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
  command->add_option("--replicas", run.replicas, "Sharding groups that hold the same")->capture_default_str();
  command->add_option("--plan", run.plan, "Shard plan (default: the subject's own)");
  command->add_option("--order", run.order, "Order of addition: tree, rank (default: the first that is declared)");
  command->add_option("--overlap", run.overlap, "Collectives beside the computation: any, off, on")
      ->capture_default_str();
  command->add_option("--offload", run.offload, "What lives on the host between its uses: none, params, full")
      ->capture_default_str();
  AddTrainOptions(*command, run.training);
  AddThreadsOption(*command, options->threads);
  command->add_flag("--alone", options->alone, "Without the reference, at full speed; nothing is judged");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace zerocts
