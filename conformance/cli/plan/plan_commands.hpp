// The subcommands of `zerocts plan`, one per file, as commands.hpp has those of zerocts.
#pragma once

namespace CLI {
class App;
}

namespace zerocts {

void AddPlanMakeCommand(CLI::App& plan, int& exit_code);
void AddPlanVerifyCommand(CLI::App& plan, int& exit_code);
void AddPlanCostCommand(CLI::App& plan, int& exit_code);
void AddPlanDrawCommand(CLI::App& plan, int& exit_code);
void AddPlanDiffCommand(CLI::App& plan, int& exit_code);
void AddPlanFuzzCommand(CLI::App& plan, int& exit_code);
void AddPlanAnswerCommand(CLI::App& plan, int& exit_code);
void AddPlanReadCommand(CLI::App& plan, int& exit_code);

}  // namespace zerocts
