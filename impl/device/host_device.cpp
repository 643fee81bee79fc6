// The host as a device: its memory is plain memory, its stream runs every operation at once.
#include <cstring>

#include "impl/device/device.hpp"

namespace zerocts {
namespace {

class HostStream : public DeviceStream {
 public:
  Ops& ops() override { return HostOps(); }
  void Run(std::function<void()> work, std::vector<Overwritten>) override { work(); }
  Event Record() override { return nullptr; }
  void WaitFor(const Event&) override {}
  void Synchronize() override {}
};

class HostDevice : public Device {
 public:
  explicit HostDevice(MemorySource& memory) : memory_(memory) {}
  std::string name() const override { return "host"; }
  void* Allocate(int64_t bytes, MemoryKind kind) override { return memory_.Allocate(bytes, kind); }
  void Free(void* memory) override { memory_.Free(memory); }
  void* AllocateHost(int64_t bytes, MemoryKind kind) override { return memory_.Allocate(bytes, kind); }
  void FreeHost(void* memory) override { memory_.Free(memory); }
  std::unique_ptr<DeviceStream> MakeStream(StreamRole) override { return std::make_unique<HostStream>(); }
  void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream&) override {
    Copy(device, host, bytes);
  }
  void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream&) override { Copy(host, device, bytes); }

 private:
  static void Copy(void* out, const void* in, int64_t bytes) {
    if (bytes > 0) std::memcpy(out, in, static_cast<size_t>(bytes));  // memcpy takes no null, not even for nothing
  }

  MemorySource& memory_;
};

}  // namespace

std::unique_ptr<Device> MakeHostDevice(MemorySource& memory, const DeviceSettings&) {
  return std::make_unique<HostDevice>(memory);
}

}  // namespace zerocts
