// zerocts: the program. One subcommand per file; every error of the user is one sentence and exit code 2, of the
// harness exit code 3.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/environment.hpp"
#include "conformance/cli/option_values.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/contract/trial.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/group_socket.hpp"
#include "conformance/host/rank/worker.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/host/system/nearest.hpp"
#include "conformance/host/system/own_words.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/report/view/endings.hpp"
#include "conformance/report/view/verdict_of_run.hpp"
#include "conformance/report/words/text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {
namespace {

/// "zerocts plan make: nothing was done", then what it was given: "  --stage  1,2".
std::string Understood(const CLI::App& command, const std::string& path) {
  for (const CLI::App* chosen : command.get_subcommands()) return Understood(*chosen, path + " " + chosen->get_name());
  std::string text = fmt::format("{}: nothing was done\n", path);
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0) text += fmt::format("  {:<20}{}\n", option->get_name(), fmt::join(option->results(), " "));
  }
  return text;
}

/// A program with the flag --dry-run, which stands before the command. With it, a command whose words are all known and
/// whose values it takes is printed, an option a line, and parse() throws CLI::Success. What only a subject, a file or
/// a plan can tell is not asked.
class DryRunnable : public CLI::App {
 public:
  DryRunnable(const std::string& description, const std::string& name) : CLI::App(description, name) {
    add_flag("--dry-run", dry_run_,
             "Parse the command and print its options, without running it; put it before the command");
  }

 private:
  void pre_callback() override {  // after all words were understood, before any command does something
    if (!dry_run_) return;
    fmt::print("{}", Understood(*this, get_name()));
    throw CLI::Success();
  }

  bool dry_run_ = false;
};

/// The subcommand that was being parsed, as deep as it goes, or the program.
const CLI::App& Chosen(const CLI::App& command) {
  const std::vector<const CLI::App*> chosen =
      command.get_subcommands([](const CLI::App* below) { return below->parsed(); });
  return chosen.empty() ? command : Chosen(*chosen.front());
}

/// "plan make", without the program's name.
std::string PathOf(const CLI::App& command) {
  if (!command.get_parent()) return "";
  const std::string above = PathOf(*command.get_parent());
  return above.empty() ? command.get_name() : above + " " + command.get_name();
}

std::vector<std::string> SubcommandNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(below->get_name());
  return names;
}

std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// What is wrong with the command line: a word that nobody knows goes before what CLI11 complains about.
std::string SentenceOf(const CLI::ParseError& error, const CLI::App& program) {
  const CLI::App& command = Chosen(program);
  const std::string path = PathOf(command);
  const bool wants_subcommand = command.get_require_subcommand_min() > 0;
  const std::string help = fmt::format("see zerocts {}--help", path.empty() ? "" : path + " ");
  std::vector<std::string> strangers = program.remaining(true);
  strangers.erase(std::ranges::find(strangers, "--"), strangers.end());  // what stands behind it is no option
  if (strangers.empty() && wants_subcommand) {
    return fmt::format("expected a subcommand ({}), got none; {}", fmt::join(SubcommandNames(command), ", "), help);
  }
  if (strangers.empty()) return fmt::format("{}; {}", error.what(), help);
  const std::string& stranger = strangers.front();
  const std::vector<std::string> known = wants_subcommand ? SubcommandNames(command) : OptionNames(command);
  return fmt::format("expected {}, got '{}', which is unknown{}; {}",
                     wants_subcommand ? "a subcommand" : "an option of " + path, stranger, DidYouMean(stranger, known),
                     help);
}

void RequireCurrentFolder() {
  std::error_code error;
  static_cast<void>(std::filesystem::current_path(error));
  if (error == std::errc::no_such_file_or_directory)
    throw UsageError("expected a current folder that exists, got one that is gone; change to another (cd)");
}

/// Says how many strangers were turned away: of no consequence to a verdict, but somebody should know.
void SayStrangers() {
  const int64_t strangers = StrangersTurnedAway();
  if (strangers > 0)
    fmt::print(stderr, "zerocts: turned {} strangers away from the sockets of the ranks; no verdict depends on them\n",
               strangers);
}

std::string ExitCodesText() {
  std::string text = "Exit codes:\n";
  for (const ExitCodeMeaning& entry : kExitCodes)
    text += fmt::format("  {:<28}{}: {}\n", static_cast<int>(entry.code), entry.name, entry.meaning);
  return text;
}

/// "help check" and "version" are what they mean: check --help, --version.
std::vector<const char*> AsOptions(std::vector<const char*> words) {
  if (words.size() < 2) return words;
  const std::string first = words[1];
  if (first == "help") {
    std::rotate(words.begin() + 1, words.begin() + 2, words.end());
    words.back() = "--help";
  }
  if (first == "version") words[1] = "--version";
  return words;
}

int Run(const std::vector<const char*>& arguments) {
  DryRunnable program(
      "Tests implementations of ZeRO and FSDP (sharded optimizers) bit for bit against a single-process reference.",
      "zerocts");
  program.set_version_flag("--version", "zerocts " ZEROCTS_VERSION);
  program.require_subcommand(1);
  int exit_code = kExitHarnessError;
  for (auto add :
       {AddCheckCommand, AddListCommand, AddExplainCommand, AddReplayCommand, AddMutantsCommand, AddTrainCommand,
        AddRunCommand, AddDiffCommand, AddUpgradeCommand, AddReportCommand, AddSubjectsCommand, AddGpusCommand,
        AddDoctorCommand, AddPlanCommand, AddWatchCommand, AddBenchCommand, AddCompletionCommand}) {
    add(program, exit_code);
  }
  program.footer(ExitCodesText());
  NameVariables(program);
  RefuseEmptyValues(program);
  try {
    RequireStandardOutput();
    RequireCurrentFolder();
    RefuseUnknownValues(program);
    RefuseUnknownVariables(program, ProcessEnvironment());
    RefuseBadVariables();
    program.parse(static_cast<int>(arguments.size()), arguments.data());
    return exit_code;
  } catch (const CLI::Success& help) {  // --help, --version, --dry-run
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    return SayError(kExitUsage, SentenceOf(error, program));
  } catch (const UsageError& error) {
    return SayError(kExitUsage, error.what());
  } catch (const UnfitFile& error) {
    return SayError(kExitUsage, error.what());
  } catch (const StartEnded& ended) {
    return SayError(ExitCodeOf(ResultOf(ended.end.result.ending)), ended.what());
  } catch (const Interrupted& interrupted) {
    return SayError(kExitInterrupted, fmt::format("{} before there was a verdict", interrupted.what()));
  } catch (const HarnessError& error) {
    return SayError(kExitHarnessError, error.what());
  } catch (const std::exception& error) {
    if (FlushStandardOutput()) SayError(kExitHarnessError, zerocts::SentenceOf(error));
    return kExitHarnessError;
  }
}

/// Throws Shortage. Becomes this program anew where its stack is to grow.
void RequireStack(char** argv) {
  if (RaiseStackLimit()) execv("/proc/self/exe", argv);
}

/// `exit_code`, where everything that was printed has gone where it should.
int Ended(int exit_code) {
  SayStrangers();
  if (FlushStandardOutput()) return exit_code;
  return SayError(
      kExitHarnessError,
      "standard output cannot be written (its disk is full, or its reader is gone): what was printed is lost; "
      "run it again with another one");
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error of the write, as on a full disk
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return zerocts::WorkerMain(argc - 1, argv + 1);
  try {
    zerocts::RequireStack(argv);
  } catch (const zerocts::HarnessError& error) {
    return zerocts::SayError(zerocts::kExitHarnessError, error.what());
  }
  return zerocts::Ended(zerocts::Run(zerocts::AsOptions({argv, argv + argc})));
}
