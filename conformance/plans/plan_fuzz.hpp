// Fuzzing of anybody's planner: `zerocts plan fuzz`. Requests of a corpus come first, then requests at random. The
// first counterexample of each property is shrunk.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts {

struct PlanFuzzOptions {
  std::string planner;  // one of PlannerNames(), plugin:PATH, or a command for the shell
  uint64_t seed = 1;
  int cases = 200;  // at random
  std::chrono::milliseconds deadline = std::chrono::seconds(10);
  std::string corpus;  // a file of a request, or a folder of such; "": none
  std::string out = "zerocts-results/plan-fuzz";
  // What requests are drawn from.
  std::vector<int> stages = {1, 2, 3};
  std::vector<int64_t> buckets = {0}, alignments = {1};
  int most_tensors = 3000, most_ranks = 64;
  std::map<std::string, std::string> options;  // passed on to the planner
  // Declared bounds.
  std::optional<int64_t> balance;
  std::optional<int64_t> growth = 0;  // in elements of a rank's memory on more ranks; absent: not asked
  std::set<std::string> without;      // properties that are not asked
};

struct PlanFuzzReport {
  std::string text, json, junit;
  int exit_code = 0;  // 0 all holds, 1 something does not, 4 the planner crashed or hung
};

/// Writes counterexamples to `out`. Throws UsageError for options that make no sense, and for files that cannot be
/// read.
PlanFuzzReport FuzzPlanner(const PlanFuzzOptions& options);

/// `zerocts plan answer`: answers through a plugin, in the process that this runs in. Reads a request per line from
/// standard input and writes an answer per line to where standard output goes; what the plugin prints itself goes to
/// standard error. Returns at the end of input. Throws UsageError for a file that cannot be loaded or has no
/// zerocts_plan_v1.
void AnswerThroughPlugin(const std::string& path);

}  // namespace zerocts
