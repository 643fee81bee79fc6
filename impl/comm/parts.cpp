#include "impl/comm/parts.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace zerocts::engine {

void CheckCuts(const Cuts& cuts, int world_size) {
  int64_t taken = 0;
  for (const std::vector<int64_t>& cut : cuts) {
    const bool one_part_per_rank = std::ssize(cut) == world_size + 1;
    if (!one_part_per_rank || cut.front() < taken || !std::is_sorted(cut.begin(), cut.end())) {
      throw std::logic_error(
          "cuts of a collective: expected world_size + 1 offsets each that never fall, and no cut before another's "
          "end");
    }
    taken = cut.back();
  }
}

std::vector<Part> PartsOf(const Cuts& cuts, int rank) {
  return PartsOf(cuts, rank, std::numeric_limits<int64_t>::max());
}

std::vector<Part> PartsOf(const Cuts& cuts, int rank, int64_t longest) {
  std::vector<Part> parts;
  int64_t packed = 0;
  for (const std::vector<int64_t>& cut : cuts) {
    for (int64_t begin = cut[rank]; begin < cut[rank + 1];) {
      parts.push_back({begin, packed, std::min(longest, cut[rank + 1] - begin)});
      begin += parts.back().numel;
      packed += parts.back().numel;
    }
  }
  return parts;
}

std::vector<std::vector<Part>> ChunksOf(const Cuts& cuts, int rank, int64_t longest) {
  std::vector<std::vector<Part>> chunks;
  int64_t room = 0;
  for (const Part& part : PartsOf(cuts, rank, longest)) {
    if (part.numel > room) {
      chunks.emplace_back();
      room = longest;
    }
    chunks.back().push_back(part);
    room -= part.numel;
  }
  return chunks;
}

int64_t PartsNumel(const Cuts& cuts, int rank) {
  int64_t numel = 0;
  for (const std::vector<int64_t>& cut : cuts) numel += cut[rank + 1] - cut[rank];
  return numel;
}

int64_t LongestPartsNumel(const Cuts& cuts, int world_size) {
  int64_t longest = 0;
  for (int rank = 0; rank < world_size; ++rank) longest = std::max(longest, PartsNumel(cuts, rank));
  return longest;
}

Cuts EqualParts(int64_t numel, int world_size) {
  const int64_t part = (numel + world_size - 1) / world_size;
  std::vector<int64_t> cut;
  for (int rank = 0; rank <= world_size; ++rank) cut.push_back(std::min(rank * part, numel));
  return {cut};
}

}  // namespace zerocts::engine
