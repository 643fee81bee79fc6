#include "conformance/cli/machine/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace zerocts {
namespace {

using Commands = std::vector<CompletedCommand>;

std::string Options(const CompletedCommand& command) {
  std::vector<std::string> names;
  for (const CompletedOption& option : command.options) names.push_back(option.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string Names(const Commands& commands) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// A case of the shell for each command: what stands after the last option.
std::string OptionsByCommand(const Commands& commands) {
  std::string out;
  for (const CompletedCommand& command : commands)
    out += fmt::format("    {}) offered='{}' ;;\n", command.name, Options(command));
  return out;
}

std::string OperandsByCommand(const Commands& commands) {
  std::string out;
  for (const CompletedCommand& command : commands) {
    if (!command.operands.empty())
      out += fmt::format("    {}) offered='{}' ;;\n", command.name, fmt::join(command.operands, " "));
  }
  return out;
}

/// Options that take a value: those words, or files.
std::string ValuesByOption(const Commands& commands) {
  std::string out;
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) {
      if (!option.takes_value) continue;
      out += option.values.empty() ? fmt::format("    {} {}) files=1 ;;\n", command.name, option.name)
                                   : fmt::format("    {} {}) offered='{}' ;;\n", command.name, option.name,
                                                 fmt::join(option.values, " "));
    }
  }
  // A blank between command and option is one character of the case's word.
  for (size_t at = 0; (at = out.find(" --", at)) != std::string::npos; at += 4) out.replace(at, 1, "\\ ");
  return out;
}

/// What both shells do the same: finds the words that may follow. Sets `offered` and `files`; reads `command`,
/// `previous` and `current`.
std::string Choice(const Commands& commands) {
  return fmt::format(
      "  local offered='' files=''\n"
      "  case \"$command $previous\" in\n{}"
      "  esac\n"
      "  if [[ -z $offered && -z $files ]]; then\n"
      "    if [[ -z $command ]]; then\n"
      "      offered='{} --help --version'\n"
      "    elif [[ $current == -* ]]; then\n"
      "      case $command in\n{}      esac\n"
      "    else\n"
      "      case $command in\n{}      *) files=1 ;;\n      esac\n"
      "    fi\n"
      "  fi\n",
      ValuesByOption(commands), Names(commands), OptionsByCommand(commands), OperandsByCommand(commands));
}

}  // namespace

std::string BashCompletion(const Commands& commands) {
  return fmt::format(
      "# Completion of zerocts for bash: `source <(zerocts completion bash)`.\n"
      "_zerocts() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command=''\n"
      "  (( COMP_CWORD > 1 )) && command=${{COMP_WORDS[1]}}\n"
      "{}"
      "  if [[ -n $files ]]; then\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -W \"$offered\" -- \"$current\"))\n"
      "  fi\n"
      "}}\n"
      "complete -F _zerocts zerocts\n",
      Choice(commands));
}

std::string ZshCompletion(const Commands& commands) {
  std::string described;
  for (const CompletedCommand& command : commands) {
    std::string text = command.description;
    std::erase_if(text, [](char c) { return c == '\'' || c == '\\'; });
    std::ranges::replace(text, ':', ',');
    described += fmt::format("      '{}:{}'\n", command.name, text);
  }
  return fmt::format(
      "#compdef zerocts\n"
      "# Completion of zerocts for zsh: a file _zerocts in a folder of $fpath.\n"
      "_zerocts() {{\n"
      "  local current=$words[CURRENT] previous=$words[CURRENT-1] command=''\n"
      "  (( CURRENT > 2 )) && command=$words[2]\n"
      "  if [[ -z $command && $current != -* ]]; then\n"
      "    local -a described=(\n{}    )\n"
      "    _describe command described\n"
      "    return\n"
      "  fi\n"
      "{}"
      "  if [[ -n $files ]]; then\n"
      "    _files\n"
      "  else\n"
      "    compadd -- ${{=offered}}\n"
      "  fi\n"
      "}}\n"
      "if [[ $funcstack[1] == _zerocts ]]; then _zerocts \"$@\"; else compdef _zerocts zerocts; fi\n",
      described, Choice(commands));
}

}  // namespace zerocts
