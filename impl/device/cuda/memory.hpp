// Memory of one GPU, and pinned memory of the host: NaN when fresh, and in the account to the byte.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "impl/device/arena.hpp"
#include "impl/device/device.hpp"

namespace zerocts::engine {

/// What is held is counted through MemorySource::Count, with the bytes asked for and their kind; it is cut from few
/// blocks that CUDA gives, and freed memory is given out again. May be used by several threads, whose GPU is the one of
/// this memory.
class CudaMemory {
 public:
  enum class Location { kDevice, kPinnedHost };

  /// `capacity_bytes`: of memory on the device; 0: as much as there is.
  CudaMemory(MemorySource& source, int64_t capacity_bytes) : source_(source), capacity_bytes_(capacity_bytes) {}
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  /// Aligned to 256 bytes; without a kind it is in no account. Throws OutOfDeviceMemory.
  void* Allocate(int64_t bytes, std::optional<MemoryKind> kind, Location location);
  /// Waits for the GPU, as cudaFree does: what is given out next may be the same memory. Throws only std::logic_error,
  /// for memory that is not held.
  void Free(void* memory);

 private:
  struct Held {
    int64_t bytes;
    std::optional<MemoryKind> kind;
    Location location;
  };
  struct DeviceBlocks : BlockSource {
    void* Take(int64_t bytes) override;
    void Return(void* block) override;
  };
  struct PinnedBlocks : BlockSource {
    void* Take(int64_t bytes) override;
    void Return(void* block) override;
  };

  MemorySource& source_;
  const int64_t capacity_bytes_;
  std::mutex mutex_;
  std::map<void*, Held> held_;
  int64_t held_bytes_ = 0;  // on the device
  DeviceBlocks device_blocks_;
  PinnedBlocks pinned_blocks_;
  Arena on_device_{device_blocks_}, pinned_{pinned_blocks_};
};

/// Lets the GPU's pool, from which operations take their scratch (ops.cu), keep what it has. Without this it gives
/// all of it back whenever a stream is waited for, and maps it anew. Of the current GPU, for the whole process.
void KeepScratchOfCuda();

/// Fills memory of the device with NaN and waits for it.
void PoisonCudaMemory(void* memory, int64_t bytes);

}  // namespace zerocts::engine
