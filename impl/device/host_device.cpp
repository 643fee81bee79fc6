// The host as a device: its memory is plain memory, and its streams run every operation at once. Where overlap is asked
// for, communication, which is mostly waiting, has a thread of its own, and so have copies, which wait for it.
#include <cstring>
#include <exception>
#include <new>

#include "impl/device/device.hpp"
#include "impl/device/queued_stream.hpp"

namespace zerocts::engine {
namespace {

constexpr size_t kCacheLine = 64;

class InlineStream : public DeviceStream {
 public:
  Ops& ops() override {
    Synchronize();
    return HostOps();
  }
  void Run(std::function<void()> work, std::vector<Overwritten>) override { Perform(work); }
  bool runs_at_once() const override { return true; }
  Event Record() override {
    Synchronize();
    return nullptr;
  }
  void WaitFor(const Event& event) override {
    Perform([&] {
      if (event) event->Synchronize();
    });
  }
  void Synchronize() override {
    if (spent_) std::rethrow_exception(spent_);
  }

 private:
  template <typename Work>
  void Perform(const Work& work) {
    Synchronize();
    try {
      work();
    } catch (...) {
      spent_ = std::current_exception();
      throw;
    }
  }

  std::exception_ptr spent_;
};

class HostDevice : public Device {
 public:
  HostDevice(MemorySource& memory, bool overlap) : memory_(memory), overlap_(overlap) {}
  std::string name() const override { return "host"; }
  void* Allocate(int64_t bytes, MemoryKind kind) override { return memory_.Allocate(bytes, kind); }
  void Free(void* memory) override { memory_.Free(memory); }
  void* AllocateActivations(int64_t bytes) override {
    return ::operator new (static_cast<size_t>(bytes), std::align_val_t{kCacheLine});
  }
  void FreeActivations(void* memory) override { ::operator delete (memory, std::align_val_t{kCacheLine}); }
  void Poison(void* memory, int64_t bytes) override { std::memset(memory, 0xff, static_cast<size_t>(bytes)); }
  void* AllocateHost(int64_t bytes, MemoryKind kind) override { return memory_.Allocate(bytes, kind); }
  void FreeHost(void* memory) override { memory_.Free(memory); }

  std::unique_ptr<DeviceStream> MakeStream(StreamRole role) override {
    if (role == StreamRole::kCompute || !overlap_) return std::make_unique<InlineStream>();
    return std::make_unique<QueuedStream>();
  }
  void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) override {
    stream.ops().Copy(device, host, bytes);
  }
  void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) override {
    stream.ops().Copy(host, device, bytes);
  }

 private:
  MemorySource& memory_;
  const bool overlap_;
};

}  // namespace

std::unique_ptr<Device> MakeHostDevice(MemorySource& memory, const DeviceSettings& settings) {
  return std::make_unique<HostDevice>(memory, settings.overlap);
}

}  // namespace zerocts::engine
