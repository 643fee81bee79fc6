// The memories that a kernel reaches, watched: what a GPU would do in silence, or by chance, is a Fault here.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

namespace zerocts::engine::ptx {

/// A kernel did what it must not.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `bytes` of a memory of `size` bytes, at a multiple of `bytes`. Throws Fault.
void RequireInside(const char* memory, uint64_t address, int64_t bytes, int64_t size);

/// What cudaMalloc and cudaHostAlloc gave. Any thread may call.
class GlobalMemory {
 public:
  void Add(const void* begin, int64_t bytes);
  /// The bytes that were added there; -1 when there were none.
  int64_t Remove(const void* begin);
  /// Throws Fault unless the address is inside one allocation.
  std::byte* Reach(uint64_t address, int64_t bytes) const;

 private:
  struct Allocation {
    uint64_t begin = 0;
    int64_t bytes = 0;
  };
  Allocation Find(uint64_t address, int64_t bytes) const;

  mutable std::shared_mutex mutex_;
  std::map<uint64_t, int64_t> allocations_;
  std::atomic<uint64_t> changes_ = 0;  // what a thread found earlier is true until the next one
};

/// The shared memory of the blocks of a launch, which run one after the other. Two threads that touch a word between
/// the same two barriers, one of them to write it and not both by atomic operations, race; what no thread of the block
/// wrote must not be read.
class SharedMemory {
 public:
  explicit SharedMemory(int64_t bytes);
  enum class Access { kRead, kWrite, kAtomic };
  /// Throws Fault.
  std::byte* Reach(uint64_t address, int64_t bytes, int thread, Access access);
  void PassBarrier() { ++interval_; }
  void BeginBlock() { block_begins_ = ++interval_; }

 private:
  static constexpr int64_t kWordBytes = 4;
  static constexpr int kSeveral = -1;

  /// The last interval (0: none) between barriers in which it was touched, and by which thread.
  struct Word {
    int64_t written_in = 0, read_in = 0;
    int writer = 0, reader = 0;
    bool atomic = false;  // every write of that interval
  };
  void Note(Word& word, int thread, Access access) const;

  std::vector<std::byte> bytes_;
  std::vector<Word> words_;
  int64_t interval_ = 0;
  int64_t block_begins_ = 0;  // its first interval
};

}  // namespace zerocts::engine::ptx
