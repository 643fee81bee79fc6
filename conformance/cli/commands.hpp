// The subcommands of zerocts. Each adds itself to the program; when it was chosen, its callback runs and sets the exit
// code. A callback throws UsageError (exit 2) or HarnessError (exit 3); main prints the one sentence.
#pragma once

namespace CLI {
class App;
}

namespace zerocts {

void AddCheckCommand(CLI::App& program, int& exit_code);
void AddListCommand(CLI::App& program, int& exit_code);
void AddExplainCommand(CLI::App& program, int& exit_code);
void AddReplayCommand(CLI::App& program, int& exit_code);
void AddMutantsCommand(CLI::App& program, int& exit_code);
void AddTrainCommand(CLI::App& program, int& exit_code);
void AddRunCommand(CLI::App& program, int& exit_code);
void AddDiffCommand(CLI::App& program, int& exit_code);
void AddUpgradeCommand(CLI::App& program, int& exit_code);
void AddReportCommand(CLI::App& program, int& exit_code);
void AddSubjectsCommand(CLI::App& program, int& exit_code);
void AddGpusCommand(CLI::App& program, int& exit_code);
void AddDoctorCommand(CLI::App& program, int& exit_code);
void AddPlanCommand(CLI::App& program, int& exit_code);
void AddWatchCommand(CLI::App& program, int& exit_code);
void AddCompletionCommand(CLI::App& program, int& exit_code);
void AddBenchCommand(CLI::App& program, int& exit_code);

// Those of `zerocts watch`, beside `report`.
void AddWatchPrepareCommand(CLI::App& watch, int& exit_code);

// Those of `zerocts plan`.
void AddPlanMakeCommand(CLI::App& plan, int& exit_code);
void AddPlanVerifyCommand(CLI::App& plan, int& exit_code);
void AddPlanCostCommand(CLI::App& plan, int& exit_code);
void AddPlanDrawCommand(CLI::App& plan, int& exit_code);
void AddPlanDiffCommand(CLI::App& plan, int& exit_code);
void AddPlanFuzzCommand(CLI::App& plan, int& exit_code);
void AddPlanAnswerCommand(CLI::App& plan, int& exit_code);
void AddPlanReadCommand(CLI::App& plan, int& exit_code);

}  // namespace zerocts
