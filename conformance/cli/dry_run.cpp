#include "conformance/cli/dry_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace

DryRunnable::DryRunnable(const std::string& description, const std::string& name) : CLI::App(description, name) {
  add_flag("--dry-run", dry_run_, "Only say what the words of the command mean; stands before it");
}

void DryRunnable::pre_callback() {
  if (!dry_run_) return;
  fmt::print("{}", Understood(*this, get_name()));
  throw CLI::Success();
}

}  // namespace zerocts
