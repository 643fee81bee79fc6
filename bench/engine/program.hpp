// What all benchmark programs of the engine do the same way: options, errors, files.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "bench/engine/workload.hpp"
#include "bench/record/figures.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts {

struct ProgramOptions {
  std::string model = "gpt2-124m";
  int ranks = 2;
  std::vector<int> stages = {0, 1, 2, 3};
  std::vector<std::string> precisions = {"fp32"};
  std::string plan = "padded";
  int64_t steps = 5;
  std::string out{};  // a folder for records and pictures; "": none

  std::vector<Precision> AllPrecisions() const;
};

/// --model --ranks --stages --precision --plan --steps --out, with what stands in `options` as defaults.
void AddOptions(CLI::App& program, ProgramOptions& options);

/// How often configurations take turns, and what their ranks are.
struct TurnOptions {
  int rounds = 7;
  std::string transport = "shm";
};
/// --rounds --transport.
void AddTurns(CLI::App& program, TurnOptions& turns);

/// Reads the options, checks the arithmetic of this process, calls body. Exit codes: what body returns, 2 for wrong
/// usage, 3 when it failed, with one sentence each.
int RunProgram(CLI::App& program, int argc, char** argv, const std::function<int()>& body);

// Both make the folder, and do nothing without one.
/// DIR/name, anew. Throws std::runtime_error.
void WriteOut(const ProgramOptions& options, const std::string& name, const std::string& text);
/// Appends to DIR/records.ndjson. Returns the exit code of a program that measured them: 3 when one failed.
int WriteRecords(const ProgramOptions& options, const Figures& figures);

/// Model, ranks, precision, stage, plan, overlap.
Parameters ParametersOf(const ProgramOptions& options, const Workload& workload);

/// The machine and the moment, for people: CPU, cores, kernels, date, load.
std::string Circumstances();

}  // namespace zerocts
