// zerocts completion bash|zsh: a script that lets the shell complete this program's command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/machine/completion.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/contract/profiles.hpp"
#include "conformance/host/subjects/frameworks.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {
namespace {

std::vector<std::string> MutantIds() {
  std::vector<std::string> ids;
  for (const InstalledMutant& mutant : InstalledMutants()) ids.push_back(mutant.id);
  return ids;
}

std::vector<std::string> Subjects() {
  std::vector<std::string> names = KnownSubjects();
  for (const FrameworkSubject& subject : FrameworkSubjects()) names.push_back(subject.name);
  return names;
}

std::vector<std::string> ProfileNames() {
  std::vector<std::string> names;
  for (const Profile& profile : AllProfiles()) names.push_back(profile.name);
  return names;
}

std::vector<std::string> Joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::map<std::string, std::vector<std::string>> AllWords() {
  std::map<std::string, std::vector<std::string>> words = {
      {"CLAUSE|FAMILY", Joined(AllClauseIds(), Families())},
      {"CLAUSE|FAMILY|PROFILE|MUTANT", Joined(Joined(Joined(AllClauseIds(), Families()), ProfileNames()), MutantIds())},
      {"ID", MutantIds()},
      {"SHELL", {"bash", "zsh"}},
      {"--subject", Subjects()}};
  for (const ConstraintOption& option : ConstraintOptions()) words["--" + option.name] = option.words;
  return words;
}

/// The words that may stand for what an option or operand is called by its name; none: files may.
std::vector<std::string> WordsFor(const std::string& name) {
  static const std::map<std::string, std::vector<std::string>> words = AllWords();
  const auto found = words.find(name);
  return found == words.end() ? std::vector<std::string>{} : found->second;
}

/// With the names and the options of subcommands of its own.
CompletedCommand CommandOf(const CLI::App& command) {
  CompletedCommand completed{.name = command.get_name(), .description = command.get_description()};
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    const CompletedCommand inner = CommandOf(*below);
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
      completed.options.push_back({"--" + name, option->get_items_expected_min() > 0, WordsFor("--" + name)});
    }
  }
  return completed;
}

std::string ScriptFor(const std::string& shell, const CLI::App& program) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(CommandOf(*command));
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
