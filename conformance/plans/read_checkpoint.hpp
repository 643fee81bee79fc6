// Which format a checkpoint has, by its files.
#pragma once
#include <string>

#include "conformance/plans/reading.hpp"

namespace zerocts::read {

/// Reads a folder, or one of the files by which a format is known. Throws UsageError with the path.
Reading ReadCheckpoint(const std::string& path);

}  // namespace zerocts::read
