// A file of records, one a line. It only ever grows.
#pragma once
#include <string>
#include <vector>

#include "bench/record/record.hpp"

namespace zerocts {

/// Appends all lines at once, after other writers; makes the file where there is none. Throws UsageError for a
/// file that cannot be written, holds something else than records, or does not end with a line break.
void AppendRecords(const std::string& path, const std::vector<BenchRecord>& records);

/// At least one. Throws UsageError with file and line.
std::vector<BenchRecord> ReadRecords(const std::string& path);

}  // namespace zerocts
