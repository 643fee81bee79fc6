// An array that zarr stores in a folder of its own: what `.zarray` (format 2) or `zarr.json` (format 3) says of it.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/value/dtype.hpp"

namespace zerocts::read {

inline constexpr int64_t kMostChunks = int64_t{1} << 20;  // of an array, and of all in a checkpoint

struct ZarrArray {
  std::vector<int64_t> shape, chunk;  // a file has one chunk; those at the end may be less
  plan::Dtype dtype = plan::Dtype::kFp32;
  std::string prefix, separator;  // chunk 1, 2 is the file "1.2", or "c/1/2"

  int64_t chunks() const;
  /// The file of chunk number `index`; the last dimension runs fastest.
  std::string FileOf(int64_t index) const;
};

/// Throws std::invalid_argument, also for more than kMostChunks.
ZarrArray ZarrArrayIn(const std::string& folder, bool format_3);

}  // namespace zerocts::read
