#include "conformance/host/memory/host_memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/host/system/page_bytes.hpp"

namespace zerocts {
namespace {

/// The block tables of all ranks of this process. Never destroyed: ranks may outlast main.
struct Tables {
  std::mutex mutex;
  std::vector<const BlockTable*> tables;
};

Tables& TablesOfProcess() {
  static auto* tables = new Tables;
  return *tables;
}

std::string OffsetText(const Block& block, const char* pointer) {
  const auto offset = pointer - block.begin;
  return offset == 0 ? Describe(block)
                     : fmt::format("a pointer {} byte{} into {}", offset, offset == 1 ? "" : "s", Describe(block));
}

constexpr size_t kAlignment = 128;
constexpr size_t kHugePageBytes = size_t{2} << 20;
constexpr uint32_t kStaggerLines = 9;  // of kAlignment: odd, so that 32 blocks in a row begin at 32 offsets

/// An optimizer's step streams through large blocks: in 4 KiB pages it is a quarter slower. Advice, which helps where
/// malloc has not touched the block yet.
void AdviseHugePages(void* memory, size_t bytes) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t begin = (address + kPageBytes - 1) / kPageBytes * kPageBytes;
  const uintptr_t end = (address + bytes) / kPageBytes * kPageBytes;
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

uint64_t ChunkBytes(const void* memory) {
  return memory ? malloc_usable_size(const_cast<void*>(memory)) + sizeof(size_t) : 0;
}

uint64_t ChunkBytes(const std::string& text) {
  const char* inside = reinterpret_cast<const char*>(&text);
  const bool on_heap = text.data() < inside || text.data() >= inside + sizeof(text);
  return on_heap ? ChunkBytes(text.data()) : 0;
}

}  // namespace

const char* KindName(int kind) {
  constexpr std::array kKinds = {"parameter", "gradient", "optimizer", "buffer"};  // by ZEROCTS_MEMORY_*
  return kKinds.at(static_cast<size_t>(kind));
}

std::string Describe(const Block& block) {
  return fmt::format("block {} of alloc ({} byte{} of {} memory)", block.number, block.bytes,
                     block.bytes == 1 ? "" : "s", KindName(block.kind));
}

BlockTable::BlockTable(int rank) : rank_(rank) {
  Tables& all = TablesOfProcess();
  std::lock_guard lock(all.mutex);
  all.tables.push_back(this);
}

BlockTable::~BlockTable() {
  Tables& all = TablesOfProcess();
  std::lock_guard lock(all.mutex);
  std::erase(all.tables, this);
}

void BlockTable::Add(const Block& block) {
  std::lock_guard lock(mutex_);
  held_[block.begin] = block;
  freed_.erase(block.begin);
}

std::optional<Block> BlockTable::Take(const void* begin) {
  std::lock_guard lock(mutex_);
  const auto found = held_.find(static_cast<const char*>(begin));
  if (found == held_.end()) return std::nullopt;
  freed_.insert(held_.extract(found));
  return freed_.at(static_cast<const char*>(begin));
}

std::optional<Block> BlockTable::Around(const char* pointer) const {
  std::lock_guard lock(mutex_);
  const auto after = held_.upper_bound(pointer);
  if (after == held_.begin()) return std::nullopt;
  const Block& block = std::prev(after)->second;
  const bool is_inside = pointer < block.begin + std::max<size_t>(block.bytes, 1);
  return is_inside ? std::optional(block) : std::nullopt;
}

std::string BlockTable::WhatIs(const void* pointer) const {
  const char* address = static_cast<const char*>(pointer);
  if (const auto block = Around(address)) return OffsetText(*block, address);
  Tables& all = TablesOfProcess();
  std::lock_guard lock(all.mutex);
  for (const BlockTable* table : all.tables) {
    if (table == this) continue;
    if (const auto block = table->Around(address))
      return fmt::format("{} of rank {}", OffsetText(*block, address), table->rank_);
  }
  std::lock_guard own(mutex_);
  const auto freed = freed_.find(address);
  if (freed != freed_.end()) return Describe(freed->second) + ", which it had freed before";
  return "a pointer that alloc did not give";
}

std::vector<Block> BlockTable::Held() const {
  std::vector<Block> blocks;
  ForEach([&](const Block& block) { blocks.push_back(block); });
  return blocks;
}

int64_t BlockTable::count() const {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(held_.size());
}

void PoisonMalloc(bool poison) {
  static std::mutex mutex;
  static std::optional<bool> now;
  const std::lock_guard lock(mutex);
  if (std::exchange(now, poison) == poison) return;  // mallopt also merges all small free chunks, which costs time
  // glibc fills fresh memory with the complement: 0x7f7f7f7f is 3.4e38. A complement of 0 would switch it off, so NaN
  // cannot be had.
  mallopt(M_PERTURB, poison ? 0x80 : 0);
}

void* HostMemory::Allocate(size_t bytes, int kind) {
  if (kind < 0 || kind >= static_cast<int>(held_.size())) return nullptr;
  // A large block is placed from the begin of a page on, wherever malloc's heap stands.
  const bool is_large = bytes >= kPageBytes;
  const size_t alignment = is_large ? kPageBytes : kAlignment;
  const size_t stagger = is_large ? large_blocks_++ * kStaggerLines * kAlignment % kPageBytes : 0;
  const size_t extra = kCanaryBytes + alignment + stagger + kCanaryBytes;
  if (bytes > SIZE_MAX - extra) return nullptr;
  void* memory = std::malloc(bytes + extra);
  if (!memory) return nullptr;
  if (bytes >= 2 * kHugePageBytes) AdviseHugePages(memory, bytes + extra);
  const uintptr_t first = reinterpret_cast<uintptr_t>(memory) + kCanaryBytes;
  auto* begin = reinterpret_cast<char*>((first + alignment - 1) / alignment * alignment + stagger);
  const Block block{begin, bytes, kind, ++allocations_, memory};
  block.room().Arm();
  blocks_.Add(block);
  std::memset(begin, poison_ ? 0xff : 0, bytes);
  Count(bytes, kind);
  return begin;
}

void HostMemory::Free(void* memory) {
  if (!memory) return;
  const std::optional<Block> block = blocks_.Take(memory);
  if (!block) {
    breaches_.push_back("freed " + blocks_.WhatIs(memory));
    return;
  }
  LookAt(*block);
  if (poison_) std::memset(memory, 0xff, block->bytes);
  Uncount(block->bytes, block->kind);
  std::free(block->memory);
}

void HostMemory::LookAt(const Block& block) {
  const std::string overstep = block.room().Overstep();
  if (overstep.empty()) return;
  breaches_.push_back(fmt::format("{} {}", overstep, Describe(block)));
  block.room().Arm();  // what is found once is not found again
}

std::vector<std::string> HostMemory::TakeBreaches() {
  blocks_.ForEach([&](const Block& block) { LookAt(block); });
  return std::exchange(breaches_, {});
}

uint64_t HostMemory::overhead_bytes() const {
  uint64_t bytes = 0;
  blocks_.ForEach([&](const Block& block) { bytes += ChunkBytes(block.memory) - block.bytes; });
  return bytes;
}

std::string HostMemory::Left() const {
  const std::vector<Block> blocks = blocks_.Held();
  if (blocks.empty()) {
    return held().total() ? fmt::format("left {} bytes of an accelerator's memory in the account", held().total()) : "";
  }
  const Block& first = *std::min_element(blocks.begin(), blocks.end(),
                                         [](const Block& a, const Block& b) { return a.number < b.number; });
  return fmt::format("left {} block{} of alloc, {} bytes, the first being {}", blocks.size(),
                     blocks.size() == 1 ? "" : "s", held().total(), Describe(first));
}

void HostMemory::Count(size_t bytes, int kind) {
  if (kind < 0 || kind >= static_cast<int>(held_.size())) return;
  held_[kind] += bytes;
  peak_bytes_ = std::max(peak_bytes_, held().total());
}

void HostMemory::Uncount(size_t bytes, int kind) {
  if (kind < 0 || kind >= static_cast<int>(held_.size())) return;
  if (bytes > held_[kind])
    breaches_.push_back(
        fmt::format("gave back {} bytes of an accelerator's memory, of {} in the account", bytes, held_[kind]));
  held_[kind] -= std::min<uint64_t>(bytes, held_[kind]);
}

uint64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

uint64_t HeapBytesOf(const RankObservation& o) {
  uint64_t bytes = ChunkBytes(o.tensors.data()) + ChunkBytes(o.scalars.data()) + ChunkBytes(o.owned.data());
  for (const TensorRecord& record : o.tensors)
    bytes += ChunkBytes(record.values.data()) + ChunkBytes(record.what) + ChunkBytes(record.hash);
  for (const StepScalars& step : o.scalars) bytes += ChunkBytes(step.losses.data());
  bytes += ChunkBytes(o.traffic.data()) + ChunkBytes(o.timeline.data());
  for (const TimelineSpan& span : o.timeline) bytes += ChunkBytes(span.name);
  bytes += ChunkBytes(o.resources.data());
  for (const Resources& resources : o.resources) bytes += ChunkBytes(resources.call);
  bytes += ChunkBytes(o.events.data()) + ChunkBytes(o.bucket_of_parameter.data());
  for (const RankEvent& event : o.events) bytes += ChunkBytes(event.name);
  for (const auto& intervals : o.owned) bytes += ChunkBytes(intervals.data());
  return bytes;
}

}  // namespace zerocts
