// The blocks of alloc that one rank holds, by address: what a subject gives back is looked up, never looked into.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "conformance/host/memory/canary.hpp"

namespace zerocts {

/// Memory that the host gave to a subject.
struct Block {
  char* begin = nullptr;
  size_t bytes = 0;
  int kind = 0;            // ZEROCTS_MEMORY_*
  int number = 0;          // of the rank's allocs: 1, 2, ..
  void* memory = nullptr;  // of malloc, around it

  GuardedRoom room() const { return {begin - kCanaryBytes, begin, begin + bytes, begin + bytes + kCanaryBytes}; }
};

/// "block 3 of alloc (400 bytes of optimizer memory)"
std::string Describe(const Block& block);

/// Any thread may call.
class BlockTable {
 public:
  explicit BlockTable(int rank);
  ~BlockTable();
  BlockTable(const BlockTable&) = delete;
  BlockTable& operator=(const BlockTable&) = delete;

  void Add(const Block& block);
  /// The block that begins there, which is then no longer in the table; nothing where none begins.
  std::optional<Block> Take(const void* begin);
  /// What a pointer is that Take does not know: "block 3 of alloc (..), which it had freed before", "a pointer 4 bytes
  /// into block 3 of alloc (..)", "block 3 of alloc (..) of rank 0", "a pointer that alloc did not give".
  std::string WhatIs(const void* pointer) const;
  /// In the order of their addresses.
  std::vector<Block> Held() const;

  template <typename Function>
  void ForEach(Function function) const {
    std::lock_guard lock(mutex_);
    for (const auto& [begin, block] : held_) function(block);
  }

 private:
  std::optional<Block> Around(const char* pointer) const;

  const int rank_;
  mutable std::mutex mutex_;
  std::map<const char*, Block> held_, freed_;
};

}  // namespace zerocts
