#include "impl/device/arena.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace zerocts::engine {
namespace {

int64_t Aligned(int64_t bytes) {
  return std::max<int64_t>((bytes + Arena::kAlignment - 1) / Arena::kAlignment, 1) * Arena::kAlignment;
}

}  // namespace

Arena::~Arena() {
  for (const Block& block : blocks_) source_.Return(block.begin);
}

void* Arena::Allocate(int64_t bytes) {
  const int64_t taken = Aligned(bytes);
  void* piece = nullptr;
  for (auto block = blocks_.begin(); !piece && block != blocks_.end(); ++block) piece = block->Cut(taken);
  if (!piece) piece = CutFromNewBlock(taken);
  if (piece) held_[piece] = taken;
  return piece;
}

void Arena::Free(void* piece) {
  const auto held = held_.find(piece);
  if (held == held_.end()) throw std::logic_error("arena: Free of a piece that is not held");
  const auto* at = static_cast<const std::byte*>(piece);
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& candidate) {
    return !std::less<>()(at, candidate.begin) && std::less<>()(at, candidate.begin + candidate.bytes);
  });
  block->Join(at - block->begin, held->second);
  held_.erase(held);
}

int64_t Arena::block_bytes() const {
  int64_t sum = 0;
  for (const Block& block : blocks_) sum += block.bytes;
  return sum;
}

void* Arena::CutFromNewBlock(int64_t bytes) {
  Block block;
  block.bytes = std::max(bytes, block_bytes_);
  block.begin = static_cast<std::byte*>(source_.Take(block.bytes));
  if (!block.begin) {
    ReturnUnused();
    block.begin = static_cast<std::byte*>(source_.Take(block.bytes));
  }
  if (!block.begin && block.bytes > bytes) {  // there may be room for the piece alone
    block.bytes = bytes;
    block.begin = static_cast<std::byte*>(source_.Take(block.bytes));
  }
  if (!block.begin) return nullptr;
  block.free[0] = block.bytes;
  return blocks_.emplace_back(std::move(block)).Cut(bytes);
}

void Arena::ReturnUnused() {
  for (const Block& block : blocks_) {
    if (block.unused()) source_.Return(block.begin);
  }
  std::erase_if(blocks_, [](const Block& block) { return block.unused(); });
}

void* Arena::Block::Cut(int64_t bytes) {
  const auto range = std::find_if(free.begin(), free.end(), [=](const auto& range) { return range.second >= bytes; });
  if (range == free.end()) return nullptr;
  const auto [offset, room] = *range;
  free.erase(range);
  if (room > bytes) free[offset + bytes] = room - bytes;
  return begin + offset;
}

void Arena::Block::Join(int64_t offset, int64_t bytes) {
  auto next = free.lower_bound(offset);
  if (next != free.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = free.erase(next);
  }
  if (next != free.begin() && std::prev(next)->first + std::prev(next)->second == offset) {
    std::prev(next)->second += bytes;
  } else {
    free[offset] = bytes;
  }
}

}  // namespace zerocts::engine
