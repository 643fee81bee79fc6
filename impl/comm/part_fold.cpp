#include "impl/comm/part_fold.hpp"

#include <algorithm>
#include <stdexcept>

#include "impl/comm/copy_past_caches.hpp"

namespace zerocts {
namespace {

constexpr int64_t kChunk = 4096;  // elements that are folded at once: with their leaves they stay in the second cache

}  // namespace

void CheckFold(const Fold& fold, int world_size) {
  const bool leaf = fold.leaf >= 0 && fold.leaf < world_size && fold.children.empty();
  const bool sum = fold.leaf < 0 && !fold.children.empty();
  if (!leaf && !sum) {
    throw std::logic_error("fold of a reduce-scatter: expected one leaf per rank of the group and no sum of nothing");
  }
  for (const Fold& child : fold.children) CheckFold(child, world_size);
}

int64_t PartFold::ScratchBytes(WireType wire, int world_size, int64_t longest_numel) {
  if (wire == WireType::kFp32) return 0;
  return world_size * std::min(kChunk, longest_numel) * static_cast<int64_t>(sizeof(float));
}

PartFold::PartFold(const Reduction& reduction, WireType wire, int world_size, bool past_caches, std::byte* scratch)
    : reduction_(reduction),
      wire_(wire),
      past_caches_(past_caches),
      scratch_(reinterpret_cast<float*>(scratch)),
      floats_(static_cast<size_t>(world_size)) {}

const float* PartFold::Leaf(size_t rank, const std::byte* leaf, int64_t begin, int64_t count) const {
  if (wire_ == WireType::kFp32) return reinterpret_cast<const float*>(leaf) + begin;
  float* wide = scratch_ + static_cast<int64_t>(rank) * count;
  HostOps().CastToFloat(wide, reinterpret_cast<const Bf16*>(leaf) + begin, count);
  return wide;
}

void PartFold::operator()(float* out, const std::vector<const std::byte*>& leaves, int64_t numel) {
  float folded[kChunk];
  for (int64_t begin = 0; begin < numel; begin += kChunk) {
    const int64_t count = std::min(kChunk, numel - begin);
    for (size_t rank = 0; rank < leaves.size(); ++rank) floats_[rank] = Leaf(rank, leaves[rank], begin, count);
    float* there = past_caches_ ? folded : out + begin;
    HostOps().FoldLeaves(there, reduction_.fold, floats_, reduction_.divisor, count);
    if (past_caches_) CopyPastCaches(out + begin, folded, count * static_cast<int64_t>(sizeof(float)));
  }
}

}  // namespace zerocts
