// Two sides measured in pairs, in turns, in one run on one machine.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/compare/comparison_table.hpp"
#include "bench/subject/bench_side.hpp"

namespace zerocts {

struct CompareSettings {
  double least_effect = 0.03;
  double confidence = 0.99;  // of all intervals together
  std::chrono::seconds budget{180};
  int least_pairs = 12, most_pairs = 400;
};

/// One benchmark: both sides in one size and stage.
struct ComparedBenchmark {
  std::string name;
  BenchGroup first, second;
};

/// Takes pairs until every interval decides (verdict.hpp) or the budget is spent, one at least. A pair: both sides
/// start ranks, open an engine and make their steps in turns (turns.hpp), so what a process happens to have, such as
/// its places in memory, differs from pair to pair and is in the interval. `progress`: of each round. Throws
/// std::runtime_error when a side fails.
std::vector<ComparisonRow> CompareInTurns(std::vector<ComparedBenchmark>& benchmarks, const CompareSettings& settings,
                                          const std::function<void(const std::string&)>& progress);

}  // namespace zerocts
