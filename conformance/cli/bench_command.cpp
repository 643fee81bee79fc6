// zerocts bench: starts the program of bench/ that measures subjects, or one that reads records. They have their own
// options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/cli/become.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

/// Programs in Python, of which each makes something of a file of records: `zerocts bench history ..`.
constexpr std::array<std::string_view, 4> kOfRecords = {"history", "export", "pictures", "ctest"};

[[noreturn]] void Start(const std::vector<std::string>& words, const char* remedy) {
  const std::string problem = Become(words);
  throw UsageError(fmt::format("bench: expected the program {}, got \"{}\"; {}", words[0], problem, remedy));
}

[[noreturn]] void StartProgramOfRecords(std::vector<std::string> arguments) {
  const std::string script = InstalledPath(fmt::format("share/zerocts/history/{}.py", arguments[0]));
  if (!std::filesystem::exists(script))
    throw UsageError(fmt::format("bench: expected {}, got none; build or install zerocts again", script));
  arguments[0] = script;
  arguments.insert(arguments.begin(), "python3");
  Start(arguments, "install Python 3");
}

[[noreturn]] void StartBench(std::vector<std::string> arguments) {
  if (!arguments.empty() && std::ranges::find(kOfRecords, arguments[0]) != kOfRecords.end())
    StartProgramOfRecords(std::move(arguments));
  if (arguments.empty()) arguments = {"--help"};  // with its defaults it would work for minutes
  arguments.insert(arguments.begin(), InstalledPath("bin/zerocts_subject_bench"));
  Start(arguments, "build or install zerocts again");
}

}  // namespace

void AddBenchCommand(CLI::App& program, int&) {
  CLI::App* command = program.add_subcommand(
      "bench", "Speed and memory of any subject, alone or beside another (zerocts bench --help)");
  command->set_help_flag();  // all that follows is the bench's own
  command->prefix_command();
  command->callback([command] { StartBench(command->remaining()); });
}

}  // namespace zerocts
