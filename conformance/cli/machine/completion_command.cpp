// zerocts completion bash|zsh: a script that lets the shell complete this program's command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/machine/completion.hpp"
#include "conformance/cli/option_values.hpp"
#include "conformance/contract/clause.hpp"

namespace zerocts {
namespace {

std::vector<std::string> MutantIds() {
  std::vector<std::string> ids;
  for (const InstalledMutant& mutant : InstalledMutants()) ids.push_back(mutant.id);
  return ids;
}

std::vector<std::string> Joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::string> WordsOfOption(const std::string& command, const std::string& option) {
  const OptionValues* values = FindValues(command, option);
  return values ? values->words : std::vector<std::string>{};
}

std::map<std::string, std::vector<std::string>> OperandWords() {
  return {{"CLAUSE|FAMILY", Joined(AllClauseIds(), Families())},
          {"CLAUSE|FAMILY|PROFILE|MUTANT",
           Joined(Joined(Joined(AllClauseIds(), Families()), WordsOfOption("check", "--require")), MutantIds())},
          {"ID", MutantIds()},
          {"SHELL", {"bash", "zsh"}}};
}

/// The words that may stand for an operand; none: files may.
std::vector<std::string> WordsFor(const std::string& operand) {
  static const std::map<std::string, std::vector<std::string>> words = OperandWords();
  const auto found = words.find(operand);
  return found == words.end() ? std::vector<std::string>{} : found->second;
}

/// With the names and the options of subcommands of its own; `path` is the first word of the command.
CompletedCommand CommandOf(const CLI::App& command, const std::string& path) {
  CompletedCommand completed{.name = command.get_name(), .description = command.get_description()};
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    const CompletedCommand inner = CommandOf(*below, path);
    completed.operands.push_back(inner.name);
    for (const CompletedOption& option : inner.options) {
      const auto same = [&](const CompletedOption& known) { return known.name == option.name; };
      if (std::ranges::none_of(completed.options, same)) completed.options.push_back(option);
    }
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() && option->get_lnames().empty()) {
      completed.operands = Joined(completed.operands, WordsFor(option->get_name()));
      continue;
    }
    for (const std::string& name : option->get_lnames()) {
      completed.options.push_back(
          {"--" + name, option->get_items_expected_min() > 0, WordsOfOption(path, "--" + name)});
    }
  }
  return completed;
}

std::string ScriptFor(const std::string& shell, const CLI::App& program) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(CommandOf(*command, command->get_name()));
  return shell == "zsh" ? ZshCompletion(commands) : BashCompletion(commands);
}

}  // namespace

void AddCompletionCommand(CLI::App& program, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      program.add_subcommand("completion", "A script that lets a shell complete the command line of zerocts");
  command->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  command->callback([&program, &exit_code, shell] {
    fmt::print("{}", ScriptFor(*shell, program));
    exit_code = 0;
  });
}

}  // namespace zerocts
