#include "impl/comm/part_fold.hpp"

#include <algorithm>
#include <stdexcept>

namespace zerocts::engine {
namespace {

constexpr int64_t kHostChunk = 4096, kDeviceChunk = 1 << 20;

}  // namespace

void CheckFold(const Fold& fold, int world_size) {
  const bool leaf = fold.leaf >= 0 && fold.leaf < world_size && fold.children.empty();
  const bool sum = fold.leaf < 0 && !fold.children.empty();
  if (!leaf && !sum) {
    throw std::logic_error("fold of a reduce-scatter: expected one leaf per rank of the group and no sum of nothing");
  }
  for (const Fold& child : fold.children) CheckFold(child, world_size);
}

int64_t PartFold::ChunkNumel(const Device& device) { return device.host_can_reach() ? kHostChunk : kDeviceChunk; }

int64_t PartFold::ScratchBytes(const Device& device, WireType wire, int world_size, int64_t longest_numel) {
  if (wire == WireType::kFp32) return 0;
  return world_size * std::min(ChunkNumel(device), longest_numel) * static_cast<int64_t>(sizeof(float));
}

PartFold::PartFold(Ops& ops, const Device& device, const Reduction& reduction, WireType wire, int world_size,
                   std::byte* scratch)
    : ops_(ops),
      chunk_numel_(ChunkNumel(device)),
      reduction_(reduction),
      wire_(wire),
      scratch_(reinterpret_cast<float*>(scratch)),
      floats_(static_cast<size_t>(world_size)) {}

void PartFold::operator()(float* out, const std::vector<const std::byte*>& leaves, int64_t numel) {
  if (reduction_.apart > 0) {
    for (const std::byte* leaf : leaves) {
      ops_.Copy(out, leaf, numel * static_cast<int64_t>(sizeof(float)));
      out += reduction_.apart;
    }
    return;
  }
  if (wire_ == WireType::kFp32) {
    for (size_t rank = 0; rank < leaves.size(); ++rank) floats_[rank] = reinterpret_cast<const float*>(leaves[rank]);
    ops_.FoldLeaves(out, reduction_.fold, floats_, reduction_.divisor, numel);
    return;
  }
  for (int64_t begin = 0; begin < numel; begin += chunk_numel_) {
    const int64_t count = std::min(chunk_numel_, numel - begin);
    for (size_t rank = 0; rank < leaves.size(); ++rank) {
      float* wide = scratch_ + static_cast<int64_t>(rank) * count;
      ops_.CastToFloat(wide, reinterpret_cast<const Bf16*>(leaves[rank]) + begin, count);
      floats_[rank] = wide;
    }
    ops_.FoldLeaves(out + begin, reduction_.fold, floats_, reduction_.divisor, count);
  }
}

}  // namespace zerocts::engine
