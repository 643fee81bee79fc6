// Memory that a subject gets from the host: counted by kind, filled with a pattern, guarded on both sides, and the heap
// as it looks from outside.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"
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

/// "optimizer" of ZEROCTS_MEMORY_OPTIMIZER.
const char* KindName(int kind);
/// "block 3 of alloc (400 bytes of optimizer memory)"
std::string Describe(const Block& block);

/// The blocks of alloc that one rank holds, by address: what a subject gives back is looked up, never looked into. Any
/// thread may call.
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
  int64_t count() const;

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

/// Fresh memory of the subject: every byte 0xff (NaN as fp32 and bf16) or 0. What the subject gets from malloc itself
/// follows as far as glibc can: bytes that make an absurdly large number. Holds for the whole process.
void PoisonMalloc(bool poison);

/// What one rank holds.
class HostMemory {
 public:
  explicit HostMemory(bool poison, int rank = 0) : poison_(poison), blocks_(rank) {}

  /// Aligned to 128 bytes; large blocks begin at different offsets of a 4 KiB page, so that streams read together do
  /// not alias, and from 4 MiB on stand in huge pages where the system gives them. Null: the kind is unknown or there
  /// is no memory.
  void* Allocate(size_t bytes, int kind);
  /// A pointer that is not of Allocate is left alone, and a breach.
  void Free(void* memory);
  /// Memory of an accelerator, which the subject got elsewhere. An unknown kind is in no account.
  void Count(size_t bytes, int kind);
  void Uncount(size_t bytes, int kind);

  MemoryReading held() const { return {held_[0], held_[1], held_[2], held_[3]}; }
  /// The most that was held at once, of all kinds.
  uint64_t peak_bytes() const { return peak_bytes_; }

  /// What its blocks take of the heap beyond what was asked for: alignment and canaries are none of the subject's.
  uint64_t overhead_bytes() const;

  /// What the subject did since the last call that zerocts_subject.h forbids: "wrote 4 bytes past the end of block 3 of
  /// alloc (..)". Looks at the canaries of all blocks.
  std::vector<std::string> TakeBreaches();
  /// How many blocks are held, and which.
  int64_t blocks() const { return blocks_.count(); }
  std::vector<Block> Held() const { return blocks_.Held(); }
  /// What is held now, as a sentence: "left 2 blocks of alloc, 108 bytes, the first being block 3 of alloc (..)"; "":
  /// nothing.
  std::string Left() const;

 private:
  void LookAt(const Block& block);

  bool poison_;
  int allocations_ = 0;
  uint32_t large_blocks_ = 0;
  BlockTable blocks_;
  std::vector<std::string> breaches_;
  std::array<uint64_t, 4> held_{};  // by ZEROCTS_MEMORY_*
  uint64_t peak_bytes_ = 0;
};

/// Bytes in use on the heap of this process, mapped blocks included.
uint64_t HeapBytes();
/// Bytes of them that an observation takes.
uint64_t HeapBytesOf(const RankObservation& observation);

}  // namespace zerocts
