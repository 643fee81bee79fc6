// zerocts: the program. One subcommand per file; every error of the user is one sentence and exit code 2, of the harness exit code 3.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/environment.hpp"
#include "conformance/cli/nearest.hpp"
#include "conformance/host/group.hpp"
#include "conformance/host/worker.hpp"
#include "conformance/report/text.hpp"

namespace zerocts {
namespace {

constexpr int kUsageExit = 2;
constexpr int kHarnessErrorExit = 3;

int SayError(int exit_code, const std::string& sentence) {
  std::string line = Printable(sentence);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  fmt::print(stderr, "zerocts: {}\n", line);
  return exit_code;
}

/// The subcommand that was being parsed, or the program.
const CLI::App& Chosen(const CLI::App& program) {
  const std::vector<const CLI::App*> chosen = program.get_subcommands([](const CLI::App* command) { return command->parsed(); });
  return chosen.empty() ? program : *chosen.front();
}

std::string HelpOf(const CLI::App& command, const CLI::App& program) {
  return &command == &program ? "zerocts --help" : fmt::format("zerocts {} --help", command.get_name());
}

/// What stands where an option or a subcommand was expected.
std::string StrangerSentence(const CLI::App& program) {
  const CLI::App& command = Chosen(program);
  const std::vector<std::string> strangers = program.remaining(true);
  const std::string stranger = strangers.empty() ? "" : strangers.front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const bool wants_subcommand = &command == &program;
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (wants_subcommand) known.push_back(sub->get_name());
  }
  return fmt::format("expected {}, got '{}', which is unknown{}; see {}",
                     wants_subcommand ? "a subcommand" : fmt::format("an option of {}", command.get_name()), stranger,
                     DidYouMean(stranger, known), HelpOf(command, program));
}

int Run(int argc, char** argv) {
  CLI::App program("Judges implementations of ZeRO and FSDP (sharded optimizers) bit for bit against a single-process reference.",
                   "zerocts");
  program.set_version_flag("--version", "zerocts " ZEROCTS_VERSION);
  program.require_subcommand(1);
  int exit_code = kHarnessErrorExit;
  for (auto add : {AddCheckCommand, AddListCommand, AddExplainCommand, AddReplayCommand, AddMutantsCommand, AddTrainCommand,
                   AddDiffCommand, AddReportCommand, AddSubjectsCommand}) {
    add(program, exit_code);
  }
  NameVariables(program);
  try {
    RefuseUnknownVariables(program, ProcessEnvironment());
    program.parse(argc, argv);
    return exit_code;
  } catch (const CLI::Success& help) {  // --help, --version
    return program.exit(help);
  } catch (const CLI::ExtrasError&) {
    return SayError(kUsageExit, StrangerSentence(program));
  } catch (const CLI::ParseError& error) {
    const std::string help = HelpOf(Chosen(program), program);
    return SayError(kUsageExit, fmt::format("{}; see {}", error.what(), help));
  } catch (const UsageError& error) {
    return SayError(kUsageExit, error.what());
  } catch (const HarnessError& error) {
    return SayError(kHarnessErrorExit, error.what());
  } catch (const std::exception& error) {
    return SayError(kHarnessErrorExit, fmt::format("an error of zerocts itself: {}", error.what()));
  }
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return zerocts::WorkerMain(argc - 1, argv + 1);
  return zerocts::Run(argc, argv);
}
