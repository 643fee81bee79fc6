// A cache of a device's memory: few large blocks are taken from it, and pieces of them given out, taken back and given
// out again without asking it. Knows no device: where a piece stands depends on nothing but the calls before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace zerocts::engine {

/// Where blocks come from.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual void* Take(int64_t bytes) = 0;  // aligned to Arena::kAlignment; nullptr: there is no more
  virtual void Return(void* block) = 0;
};

/// First fit: the lowest offset of the oldest block that has room. Used by one thread at a time.
class Arena {
 public:
  static constexpr int64_t kAlignment = 256;
  static constexpr int64_t kBlockBytes = int64_t{64} << 20;

  /// Blocks have `block_bytes`, a multiple of kAlignment, or what a larger piece needs.
  explicit Arena(BlockSource& source, int64_t block_bytes = kBlockBytes) : source_(source), block_bytes_(block_bytes) {}
  ~Arena();  // returns every block
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Aligned; pieces of 0 bytes have addresses of their own too. Blocks that nobody uses are returned before it gives
  /// up: nullptr.
  void* Allocate(int64_t bytes);
  void Free(void* piece);       // one that is held
  int64_t block_bytes() const;  // of all blocks that it has

 private:
  struct Block {
    std::byte* begin = nullptr;
    int64_t bytes = 0;
    std::map<int64_t, int64_t> free;  // offset: bytes; no two touch

    bool unused() const { return !free.empty() && free.begin()->second == bytes; }
    void* Cut(int64_t bytes);  // nullptr: no room
    void Join(int64_t offset, int64_t bytes);
  };
  void* CutFromNewBlock(int64_t bytes);
  void ReturnUnused();

  BlockSource& source_;
  const int64_t block_bytes_;
  std::vector<Block> blocks_;                // the oldest first
  std::unordered_map<void*, int64_t> held_;  // bytes of each piece
};

}  // namespace zerocts::engine
