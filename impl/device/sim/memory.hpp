// Memory of the sim: fresh memory is NaN, freed memory turns NaN at once and is watched for a while.
#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "impl/device/device.hpp"
#include "impl/device/out_of_device_memory.hpp"

namespace zerocts::engine {

/// An operation in flight wrote to memory that was freed.
struct UseAfterFree : std::logic_error {
  using std::logic_error::logic_error;
};

enum class SimLocation { kDevice, kHost };

/// A block is a mapping of its own. For each the source gives a block of the same size and kind, which nobody touches,
/// until Free: so its account is right to the byte while freed memory is kept to be watched, and mappings are no part
/// of the heap that mallinfo2 reads. It costs twice the memory. May be used by several threads.
class SimMemory {
 public:
  static constexpr int64_t kQuarantineBytes = int64_t{16} << 20;  // looked through by every call: 1 ms

  /// `capacity_bytes`: of blocks on the device, 0: any. Of freed blocks the last one is kept, and those before it that
  /// fill no more than `quarantine_bytes` with it.
  SimMemory(MemorySource& source, int64_t capacity_bytes, int64_t quarantine_bytes = kQuarantineBytes);
  /// Says on stderr what CheckFreed would throw.
  ~SimMemory();

  /// Aligned to a page. Throws OutOfDeviceMemory, and what CheckFreed throws.
  void* Allocate(int64_t bytes, MemoryKind kind, SimLocation location);
  /// On the device, without a block of the source.
  void* AllocateUncounted(int64_t bytes);
  /// Throws only std::logic_error for memory that is not held: buffers are freed by destructors. What it finds changed
  /// in freed memory is thrown by the next CheckFreed.
  void Free(void* memory);
  /// Throws UseAfterFree when freed memory has changed; each change is told once.
  void CheckFreed();

 private:
  struct Block {
    std::byte* memory;
    int64_t bytes;
    MemoryKind kind;
    SimLocation location;
    void* accounted;  // of the source; nullptr: not counted
  };

  void* Hold(int64_t bytes, MemoryKind kind, SimLocation location, bool counted);
  std::optional<std::string> LookThroughFreed();
  void Evict();

  MemorySource& source_;
  const int64_t capacity_bytes_, quarantine_bytes_;
  std::mutex mutex_;
  std::map<void*, Block> held_;
  int64_t held_bytes_ = 0;  // on the device
  std::deque<Block> freed_;
  int64_t freed_bytes_ = 0;
  std::optional<std::string> found_;  // not thrown yet
};

}  // namespace zerocts::engine
