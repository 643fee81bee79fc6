// zerocts plan: anybody's shard plans, made, verified, costed, drawn, compared and fuzzed.
#include <CLI/CLI.hpp>

#include "conformance/cli/commands.hpp"

namespace zerocts {

void AddPlanCommand(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("plan", "Shard plans of any framework: make, verify, cost, draw, diff, fuzz, read");
  command->require_subcommand(1);
  for (auto add : {AddPlanMakeCommand, AddPlanVerifyCommand, AddPlanCostCommand, AddPlanDrawCommand, AddPlanDiffCommand,
                   AddPlanFuzzCommand, AddPlanReadCommand, AddPlanAnswerCommand})
    add(*command, exit_code);
}

}  // namespace zerocts
