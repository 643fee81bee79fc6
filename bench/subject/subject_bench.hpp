// The two things that `zerocts bench` does, and their options.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/subject/bench_side.hpp"

namespace zerocts {

struct BenchOptions {
  std::vector<std::string> subjects = {"native"};  // take turns
  std::vector<int> stages{};                       // none: all that they declare
  std::vector<int> ranks = {2};
  std::string model = "small", precision = "fp32", plan{}, overlap = "any", offload = "none";
  std::string launcher = "local";
  bool trains = false;
  std::optional<int64_t> steps;  // of each round, after one that is not measured; else the command's usual ones
  std::optional<int> rounds;
  int deadline_s = 120;
  std::string out{};  // file of records; "": none
};

void AddBenchOptions(CLI::App& command, BenchOptions& options);

// What the options say. Each throws UsageError.
BenchArrangement ArrangementOf(const BenchOptions& options);
HostSettings SettingsOf(const BenchOptions& options, const std::string& session_dir);
/// Refuses what would not fit into the memory that is available.
void ExpectRoom(const BenchArrangement& arrangement, const BenchSize& size, int copies);

/// Prints the table, appends records. Exit code 0; 2 where nothing of the selection can be measured; 3 where the
/// subject failed; 4 where its ranks crashed or hung.
int MeasureSubject(const BenchOptions& options);

/// compare A B; the options of the program hold for it, too.
void AddCompareCommand(CLI::App& program, const BenchOptions& options, int& exit_code);

}  // namespace zerocts
