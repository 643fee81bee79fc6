// A device that calls itself a GPU, whose memory is the host's: for what works on handles and addresses alone.
#pragma once
#include <memory>
#include <string>

#include "impl/device/device.hpp"

namespace zerocts::engine {

class DeviceOutOfReach : public Device {
 public:
  explicit DeviceOutOfReach(Device& host) : host_(host) {}
  std::string name() const override { return "cuda"; }
  bool host_can_reach() const override { return false; }
  void* Allocate(int64_t bytes, MemoryKind kind) override { return host_.Allocate(bytes, kind); }
  void Free(void* memory) override { host_.Free(memory); }
  void* AllocateActivations(int64_t bytes) override { return host_.AllocateActivations(bytes); }
  void FreeActivations(void* memory) override { host_.FreeActivations(memory); }
  void Poison(void* memory, int64_t bytes) override { host_.Poison(memory, bytes); }
  void* AllocateHost(int64_t bytes, MemoryKind kind) override { return host_.AllocateHost(bytes, kind); }
  void FreeHost(void* memory) override { host_.FreeHost(memory); }
  std::unique_ptr<DeviceStream> MakeStream(StreamRole role) override { return host_.MakeStream(role); }
  void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) override {
    host_.CopyFromHost(device, host, bytes, stream);
  }
  void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) override {
    host_.CopyToHost(host, device, bytes, stream);
  }

 private:
  Device& host_;
};

}  // namespace zerocts::engine
