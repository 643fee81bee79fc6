// zerocts --dry-run COMMAND ..: what the words of a command mean, and nothing is done.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace zerocts {

/// A program with the flag --dry-run, which stands before the command. With it, a command whose words are all known and
/// whose values are of the right kind is printed, an option a line, and parse() throws CLI::Success. What only a
/// subject, a file or a plan can tell is not asked.
class DryRunnable : public CLI::App {
 public:
  DryRunnable(const std::string& description, const std::string& name);

 private:
  void pre_callback() override;  // after all words were understood, before any command does something

  bool dry_run_ = false;
};

}  // namespace zerocts
