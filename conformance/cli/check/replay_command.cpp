// zerocts replay CASE.json: one saved case, once more, against any subject.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/cli/check/preflight.hpp"
#include "conformance/cli/check/subject_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/environment.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/session/run/replay.hpp"

namespace zerocts {
namespace {

struct ReplayOptions {
  std::string case_file, launcher = "local", reproducer;
  SubjectOptions subject;
  bool subject_was_named = false;
};

Case UserCase(const std::string& path) {
  try {
    Case c = LoadCase(path);
    FindClause(c.clause);
    if (IsPlanFile(c.plan) && !Fits(c, LoadFilePlan(c.plan)))
      throw UsageError(fmt::format("{}: expected the ranks and parameters of {}, got others", path, c.plan));
    return c;
  } catch (const std::exception& error) {
    throw UsageError(error.what());
  }
}

int Replay(const ReplayOptions& options) {
  const Case c = UserCase(options.case_file);
  const Configuration configuration{OneLauncher(options.launcher, "one case"), c.world_size(), c.experiment.precision};
  const SessionFolder folder;
  SessionSettings settings;
  settings.subject = SpecOf(options.subject);
  if (!options.reproducer.empty() && settings.subject.framework.empty()) {
    throw UsageError(
        fmt::format("--reproducer: expected --subject with a framework of zerocts subjects, got {}; leave it out",
                    settings.subject.text));
  }
  settings.host = HostSettingsOf(options.subject, folder);
  settings.info = RequireGroup(settings.subject, settings.host, configuration.launcher, c.world_size());
  settings.launchers = {configuration.launcher};
  settings.world_sizes = {configuration.world_size};
  settings.precisions = {configuration.precision};
  settings.expectations = DefaultExpectations(options.subject.subject);
  settings.out_dir = folder.path() + "/results";
  settings.argv = ProcessArguments();
  Session session(settings);
  fmt::print(
      "subject {}{}\n", options.subject.subject,
      options.subject_was_named ? "" : " (the default; a case says nothing of its subject, name it with --subject)");
  return ReplayCase(session, c, configuration, options.reproducer);
}

}  // namespace

void AddReplayCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = program.add_subcommand("replay", "Run one saved case again; exit 0 when it passes");
  command->add_option("CASE", options->case_file, "A case that zerocts check saved")->required();
  AddSubjectOptions(*command, options->subject);
  command->add_option("--launcher", options->launcher, LauncherSummaries())->capture_default_str();
  command->add_option("--reproducer", options->reproducer,
                      "Write a Python file that shows the case with the framework alone, under torchrun");
  command->callback([options, command, &exit_code] {
    options->subject_was_named = command->count("--subject") > 0;
    exit_code = Replay(*options);
  });
}

}  // namespace zerocts
