#include "impl/device/guarded_device_for_test.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>

#include "impl/device/queued_stream.hpp"

namespace zerocts {
namespace {

/// The memory of all guarded devices of this process. It is given out once, and begins anew when nobody holds any.
class Arena {
 public:
  static Arena& OfThisProcess() {
    static Arena arena;
    return arena;
  }

  /// Open as long as one of these lives.
  class Opening {
   public:
    Opening() { OfThisProcess().Open(1); }
    ~Opening() { OfThisProcess().Open(-1); }
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
  };

  void* Allocate(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    const int64_t taken = bytes / kAlignment * kAlignment + kAlignment;
    if (taken > kBytes - used_) throw std::bad_alloc();
    void* memory = begin_ + used_;
    used_ += taken;
    ++held_;
    return memory;
  }
  void Free() {
    const std::lock_guard lock(mutex_);
    if (--held_ == 0) used_ = 0;
  }

 private:
  static constexpr int64_t kBytes = int64_t{1} << 30, kAlignment = 256;

  Arena() {
    void* memory = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::byte*>(memory);
  }

  void Open(int more) {
    const std::lock_guard lock(mutex_);
    const bool was_open = openings_ > 0;
    openings_ += more;
    if (was_open == (openings_ > 0)) return;
    if (mprotect(begin_, kBytes, was_open ? PROT_NONE : PROT_READ | PROT_WRITE) != 0) std::abort();
  }

  std::mutex mutex_;
  std::byte* begin_ = nullptr;
  int64_t used_ = 0, held_ = 0, openings_ = 0;
};

/// Runs operations in place, with the memory open.
class OpeningStream : public DeviceStream {
 public:
  Ops& ops() override { return ops_; }
  void Run(std::function<void()> work, std::vector<Overwritten>) override {
    const Arena::Opening opening;
    work();
  }
  Event Record() override { throw std::logic_error("only operations"); }
  void WaitFor(const Event&) override { throw std::logic_error("only operations"); }
  void Synchronize() override { throw std::logic_error("only operations"); }

 private:
  QueuedOps ops_{HostOps(), *this};
};

/// A copy stream computes on memory of the host alone.
class GuardedStream : public QueuedStream {
 public:
  explicit GuardedStream(StreamRole role) : QueuedStream(nullptr, role == StreamRole::kCopy ? HostOps() : OfDevice()) {}
  Ops& ops_of_work() override { return OfDevice(); }

 private:
  static Ops& OfDevice() {
    static OpeningStream stream;
    return stream.ops();
  }
};

class GuardedDevice : public Device {
 public:
  explicit GuardedDevice(MemorySource& memory) : memory_(memory) {}
  std::string name() const override { return "guarded"; }
  bool host_can_reach() const override { return false; }

  void* Allocate(int64_t bytes, MemoryKind kind) override {
    void* memory = AllocateActivations(bytes);
    memory_.Count(bytes, kind);
    const std::lock_guard lock(mutex_);
    counted_[memory] = {bytes, kind};
    return memory;
  }
  void Free(void* memory) override {
    if (!memory) return;
    {
      const std::lock_guard lock(mutex_);
      const auto entry = counted_.find(memory);
      if (entry == counted_.end()) throw std::logic_error("guarded device: Free of memory that is not held");
      memory_.Uncount(entry->second.first, entry->second.second);
      counted_.erase(entry);
    }
    Arena::OfThisProcess().Free();
  }
  void* AllocateActivations(int64_t bytes) override {
    void* memory = Arena::OfThisProcess().Allocate(bytes);
    Poison(memory, bytes);
    return memory;
  }
  void FreeActivations(void*) override { Arena::OfThisProcess().Free(); }
  void Poison(void* memory, int64_t bytes) override {
    const Arena::Opening opening;
    std::memset(memory, 0xff, static_cast<size_t>(bytes));
  }
  void* AllocateHost(int64_t bytes, MemoryKind kind) override { return memory_.Allocate(bytes, kind); }
  void FreeHost(void* memory) override { memory_.Free(memory); }

  std::unique_ptr<DeviceStream> MakeStream(StreamRole role) override { return std::make_unique<GuardedStream>(role); }
  void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) override {
    stream.Run([=, &stream] { stream.ops_of_work().Copy(device, host, bytes); });
  }
  void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) override {
    stream.Run([=, &stream] { stream.ops_of_work().Copy(host, device, bytes); });
  }

 private:
  MemorySource& memory_;
  std::mutex mutex_;
  std::map<void*, std::pair<int64_t, MemoryKind>> counted_;
};

}  // namespace

std::unique_ptr<Device> MakeGuardedDevice(MemorySource& memory) { return std::make_unique<GuardedDevice>(memory); }

}  // namespace zerocts
