// What ranks that see one memory keep in common: the barrier of all ranks and one exchange slot per rank. Plain words
// and lock-free atomics, valid in a heap (threads) and in a mapping of several processes (shm).
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace zerocts::engine {

inline constexpr int64_t kExchangeWords = 512;  // 4 KiB: a whole SumOfSquares in one exchange

/// What a rank lets the others read in one collective: a window, and an offset in it.
struct PublishedOffset {
  uint64_t window;    // its number, the same on all ranks
  int64_t offset;     // bytes in the rank's own memory of that window
  uint64_t in_place;  // all-gather: its parts stand where they stand in `full`; 0: one after the other
};

struct alignas(64) RankSlot {
  std::atomic<uint32_t> barriers;  // that this rank has come to
  std::atomic<uint32_t> aborted;   // 1: it will not come any more
  union {                          // during a collective allocation
    void* allocation;              //   threads: where this rank's memory is
    int64_t allocation_bytes;      //   shm: how much it wants
  };
  PublishedOffset published;           // written before the first barrier of a collective, read before the second
  std::atomic<int64_t> read_by_peers;  // bytes, in one collective
  alignas(64) uint64_t
      words[2][kExchangeWords];  // two, used in turn: a rank may write one while a slow one still reads the other
};

struct alignas(64) SharedBlock {
  std::atomic<uint32_t> phase;    // 2 * complete barriers, + 1 when broken; the futex on which ranks sleep
  std::atomic<uint32_t> arrived;  // ranks that have come to the barrier that is not complete
  uint64_t nonce;                 // tells this block from another memory of the same size

  RankSlot& slot(int rank) { return reinterpret_cast<RankSlot*>(this + 1)[rank]; }

  static int64_t BytesFor(int world_size) {
    return static_cast<int64_t>(sizeof(SharedBlock)) + world_size * static_cast<int64_t>(sizeof(RankSlot));
  }
  /// Begins the life of a block in memory of BytesFor(world_size) bytes.
  static SharedBlock* In(void* memory, int world_size, uint64_t nonce) {
    SharedBlock* block = new (memory) SharedBlock{};
    for (int rank = 0; rank < world_size; ++rank) new (&block->slot(rank)) RankSlot{};
    block->nonce = nonce;
    return block;
  }
};
static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);

}  // namespace zerocts::engine
