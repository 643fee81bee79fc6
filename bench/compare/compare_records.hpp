// Two files of records, figure by figure, and what `compare` itself measured, as records.
#pragma once
#include <string>
#include <vector>

#include "bench/compare/comparison_table.hpp"
#include "bench/record/record.hpp"

namespace zerocts {

/// "ratio/STEP": how many times as long `second` takes as `first`, for each row of times. `confidence` is of each
/// interval.
std::vector<BenchRecord> RatioRecords(const std::vector<ComparisonRow>& rows, const std::string& first,
                                      const std::string& second, double confidence);

/// Figures by name and subject, of several of the same name the last. Counts are judged: they are equal, and none is
/// gone. Times of two runs are shown with the interval that samples in the order of both files have, and judged by
/// nobody; those without samples or oversubscribed are left out. Throws UsageError when the files share no figure, when
/// one is an error, is 0 or has another unit or direction, and when times are of different machines.
std::vector<ComparisonRow> CompareRecords(const std::vector<BenchRecord>& first, const std::vector<BenchRecord>& second,
                                          double confidence);

}  // namespace zerocts
