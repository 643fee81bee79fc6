// The parts of a cut buffer, rank by rank.
#pragma once
#include <cstdint>
#include <vector>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

/// One rank's part of one cut, or a range of it. Never empty.
struct Part {
  int64_t begin = 0;   // where it stands in the buffer, in elements
  int64_t packed = 0;  // where it stands among the rank's parts one after the other
  int64_t numel = 0;
  int64_t end() const { return begin + numel; }
};

/// Throws std::logic_error unless every cut has world_size + 1 offsets that never fall, from 0 or later, and no cut
/// begins before the one in front of it ends.
void CheckCuts(const Cuts& cuts, int world_size);

std::vector<Part> PartsOf(const Cuts& cuts, int rank);
/// The same, in ranges of at most `longest` elements.
std::vector<Part> PartsOf(const Cuts& cuts, int rank, int64_t longest);

/// The same ranges, as many of them together as have at most `longest` elements.
std::vector<std::vector<Part>> ChunksOf(const Cuts& cuts, int rank, int64_t longest);

int64_t PartsNumel(const Cuts& cuts, int rank);
int64_t LongestPartsNumel(const Cuts& cuts, int world_size);  // of all ranks

/// One cut of [0, numel): part r begins at r * ceil(numel / world_size), or at the end when that is beyond it.
Cuts EqualParts(int64_t numel, int world_size);

}  // namespace zerocts::engine
