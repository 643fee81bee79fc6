// zerocts bench: starts the program of bench/ that measures subjects, which has its own options.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <vector>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

[[noreturn]] void StartBench(const std::vector<std::string>& arguments) {
  const std::string program = InstalledPath("bin/zerocts_subject_bench");
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw UsageError(fmt::format("bench: expected the program {}, got \"{}\"; build it (scripts/bench does)", program,
                               std::strerror(errno)));
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
