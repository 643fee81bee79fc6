// What `compare` measured, as records.
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

}  // namespace zerocts
