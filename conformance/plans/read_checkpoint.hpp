// A checkpoint of anybody as a plan.
#pragma once
#include <string>

#include "conformance/plans/reading.hpp"

namespace zerocts::read {

/// Reads a folder, or one of the files by which a format is known. Throws UsageError with the path, HarnessError when
/// Python lacks a package that the format needs.
Reading ReadCheckpoint(const std::string& path);

}  // namespace zerocts::read
