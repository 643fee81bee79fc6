// Memory for unit tests that knows how much of it is held.
#pragma once
#include <array>
#include <map>
#include <utility>

#include "impl/device/for_test/poisoned_memory.hpp"

namespace zerocts::engine {

/// Counts as the host of a subject does.
struct CountingMemory : MemorySource {
  std::array<int64_t, 4> held{};
  std::map<void*, std::pair<int64_t, MemoryKind>> blocks;
  PoisonedMemory memory;

  void* Allocate(int64_t bytes, MemoryKind kind) override {
    void* block = memory.Allocate(bytes, kind);
    blocks[block] = {bytes, kind};
    held[static_cast<size_t>(kind)] += bytes;
    return block;
  }
  void Free(void* block) override {
    const auto [bytes, kind] = blocks.at(block);
    held[static_cast<size_t>(kind)] -= bytes;
    blocks.erase(block);
    memory.Free(block);
  }
};

}  // namespace zerocts::engine
