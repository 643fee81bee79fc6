#include "conformance/host/memory/block_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

}  // namespace

std::string Describe(const Block& block) {
  constexpr std::array kKinds = {"parameter", "gradient", "optimizer", "buffer"};  // by ZEROCTS_MEMORY_*
  return fmt::format("block {} of alloc ({} byte{} of {} memory)", block.number, block.bytes,
                     block.bytes == 1 ? "" : "s", kKinds.at(static_cast<size_t>(block.kind)));
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

}  // namespace zerocts
