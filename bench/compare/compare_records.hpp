// Two files of records, figure by figure.
#pragma once
#include <vector>

#include "bench/compare/comparison_table.hpp"
#include "bench/record/record.hpp"

namespace zerocts {

/// Figures that both have, by name and subject; of several of the same name the last. Times are not paired: samples in
/// the order of both files stand in for pairs, and figures without samples or oversubscribed are left out. Throws
/// UsageError when they share no figure, when one is an error, and when times are of different machines.
std::vector<ComparisonRow> CompareRecords(const std::vector<BenchRecord>& first, const std::vector<BenchRecord>& second,
                                          double least_effect, double confidence);

}  // namespace zerocts
