// An accelerator played by the host, as unkind as an accelerator can be: code that does not wait for what it reads gets
// NaN.
#pragma once
#include <chrono>

#include "impl/device/sim/memory.hpp"

namespace zerocts::engine {

/// Holds up operation number `operation` of stream number `stream`, both counted from 0; called on that stream's
/// thread, when what the operation overwrites is NaN already.
using SimDelay = std::function<void(uint64_t stream, uint64_t operation)>;

/// How long: mostly not at all, sometimes some microseconds, rarely 100 to 1,000; a function of its arguments.
std::chrono::microseconds DrawSimDelay(uint64_t seed, uint64_t stream, uint64_t operation);

/// DrawSimDelay times `scale`.
SimDelay RandomSimDelay(uint64_t seed, double scale);

/// Every stream is a thread. Before an operation, what it overwrites is filled with NaN, then it is delayed. Streams
/// end before the device does. Changes of freed memory (UseAfterFree) are thrown by Allocate, AllocateHost,
/// CheckFreedMemory and every stream's Synchronize, whichever comes next.
class SimDevice : public Device {
 public:
  SimDevice(MemorySource& memory, const DeviceSettings& settings)
      : SimDevice(memory, settings, RandomSimDelay(settings.seed, settings.delay_scale)) {}
  SimDevice(MemorySource& memory, const DeviceSettings& settings, SimDelay delay)
      : memory_(memory, settings.capacity_bytes), delay_(std::move(delay)) {}

  std::string name() const override { return "sim"; }
  void* Allocate(int64_t bytes, MemoryKind kind) override {
    return memory_.Allocate(bytes, kind, SimLocation::kDevice);
  }
  void Free(void* memory) override { memory_.Free(memory); }
  void* AllocateActivations(int64_t bytes) override { return memory_.AllocateUncounted(bytes); }
  void FreeActivations(void* memory) override { memory_.Free(memory); }
  void Poison(void* memory, int64_t bytes) override;
  void* AllocateHost(int64_t bytes, MemoryKind kind) override {
    return memory_.Allocate(bytes, kind, SimLocation::kHost);
  }
  void FreeHost(void* memory) override { memory_.Free(memory); }
  void CheckFreedMemory() { memory_.CheckFreed(); }

  std::unique_ptr<DeviceStream> MakeStream(StreamRole role) override;
  void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) override;
  void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) override;

 private:
  SimMemory memory_;
  const SimDelay delay_;
  uint64_t streams_ = 0;
};

}  // namespace zerocts::engine
