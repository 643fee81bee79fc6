// Memory that a subject gets from the host: counted by kind, filled with a pattern, guarded on both sides, and the heap
// as it looks from outside.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"
#include "conformance/host/memory/block_table.hpp"

namespace zerocts {

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

  /// What the subject did since the last call that zerocts_subject.h forbids: "wrote 4 bytes past the end of block 3 of
  /// alloc (..)". Looks at the canaries of all blocks.
  std::vector<std::string> TakeBreaches();
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
