// What all benchmark programs of the engine do the same way: options, errors, files.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/model/model_spec.hpp"

namespace zerocts {

struct ProgramOptions {
  std::string model = "gpt2-124m";
  int ranks = 2;
  std::vector<int> stages = {0, 1, 2, 3};
  std::vector<std::string> precisions = {"fp32"};
  std::string plan = "padded";
  int64_t steps = 5;
  std::string out{};  // a folder for JSON and pictures; "": none

  std::vector<Precision> AllPrecisions() const;
};

/// --model --ranks --stages --precision --plan --steps --out, with what stands in `options` as defaults.
void AddOptions(CLI::App& program, ProgramOptions& options);

/// Reads the options, checks the arithmetic of this process, calls body. Exit codes: what body returns, 2 for wrong
/// usage, 3 when it failed, with one sentence each.
int RunProgram(CLI::App& program, int argc, char** argv, const std::function<int()>& body);

/// DIR/name; makes the folder. Does nothing without one. Throws std::runtime_error.
void WriteOut(const ProgramOptions& options, const std::string& name, const std::string& text);

/// The machine and the moment, for every JSON file: CPU, cores, kernels, date, load.
nlohmann::json Circumstances();
std::string Describe(const nlohmann::json& circumstances);

}  // namespace zerocts
