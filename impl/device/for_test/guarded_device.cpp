#include "impl/device/for_test/guarded_device.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

#include "impl/device/arena.hpp"
#include "impl/device/queued_stream.hpp"

namespace zerocts::engine {
namespace {

/// The memory of all guarded devices of this process, given out again when it is freed, as a GPU's is.
class GuardedMemory {
 public:
  static GuardedMemory& OfThisProcess() {
    static GuardedMemory memory;
    return memory;
  }

  void* Allocate(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    void* memory = arena_.Allocate(bytes);
    if (!memory) throw std::bad_alloc();
    return memory;
  }
  void Free(void* memory) {
    const std::lock_guard lock(mutex_);
    arena_.Free(memory);
  }
  void Open(int more) {
    const std::lock_guard lock(mutex_);
    const bool was_open = openings_ > 0;
    openings_ += more;
    if (was_open != (openings_ > 0)) pages_.Protect(was_open ? PROT_NONE : PROT_READ | PROT_WRITE);
  }

 private:
  /// One block of addresses, of which the system gives what is used.
  struct Pages : BlockSource {
    static constexpr int64_t kBytes = int64_t{1} << 30;

    Pages() : begin(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
      if (begin == MAP_FAILED) throw std::bad_alloc();
      madvise(begin, kBytes, MADV_HUGEPAGE);  // fewer pages to protect: it is done before and after each operation
    }
    ~Pages() override { munmap(begin, kBytes); }
    void* Take(int64_t bytes) override { return std::exchange(taken, true) || bytes > kBytes ? nullptr : begin; }
    void Return(void*) override { taken = false; }
    void Protect(int how) const {
      if (mprotect(begin, kBytes, how) != 0) std::abort();
    }

    void* const begin;
    bool taken = false;
  };

  std::mutex mutex_;
  Pages pages_;
  Arena arena_{pages_, Pages::kBytes};
  int64_t openings_ = 0;
};

/// Runs operations in place, with the memory open.
class OpeningStream : public DeviceStream {
 public:
  explicit OpeningStream(Ops& ops) : ops_(ops, *this) {}
  Ops& ops() override { return ops_; }
  void Run(std::function<void()> work, std::vector<Overwritten>) override {
    const GuardedMemoryIsOpen open;
    work();
  }
  Event Record() override { throw std::logic_error("only operations"); }
  void WaitFor(const Event&) override { throw std::logic_error("only operations"); }
  void Synchronize() override { throw std::logic_error("only operations"); }

 private:
  QueuedOps ops_;
};

/// A copy stream computes on memory of the host alone.
class GuardedStream : public QueuedStream {
 public:
  explicit GuardedStream(StreamRole role) : QueuedStream(nullptr, role == StreamRole::kCopy ? HostOps() : OfDevice()) {}
  Ops& ops_of_work() override { return OfDevice(); }

 private:
  static Ops& OfDevice() {
    static OpeningStream stream(HostOps());
    return stream.ops();
  }
};

struct OwnOps {
  std::unique_ptr<Ops> own;
  OpeningStream of_device{*own};
};

/// Its operations are others than the host's.
class GuardedComputeStream : private OwnOps, public QueuedStream {
 public:
  explicit GuardedComputeStream(std::unique_ptr<Ops> ops)
      : OwnOps{std::move(ops)}, QueuedStream(nullptr, of_device.ops()) {}
  Ops& ops_of_work() override { return of_device.ops(); }
};

class GuardedDevice : public Device {
 public:
  GuardedDevice(MemorySource& memory, MakeOps make_ops) : memory_(memory), make_ops_(std::move(make_ops)) {}
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
    GuardedMemory::OfThisProcess().Free(memory);
  }
  void* AllocateActivations(int64_t bytes) override {
    void* memory = GuardedMemory::OfThisProcess().Allocate(bytes);
    Poison(memory, bytes);
    return memory;
  }
  void FreeActivations(void* memory) override { GuardedMemory::OfThisProcess().Free(memory); }
  void Poison(void* memory, int64_t bytes) override {
    const GuardedMemoryIsOpen open;
    std::memset(memory, 0xff, static_cast<size_t>(bytes));
  }
  void* AllocateHost(int64_t bytes, MemoryKind kind) override { return memory_.Allocate(bytes, kind); }
  void FreeHost(void* memory) override { memory_.Free(memory); }

  std::unique_ptr<DeviceStream> MakeStream(StreamRole role) override {
    if (make_ops_ && role == StreamRole::kCompute) return std::make_unique<GuardedComputeStream>(make_ops_());
    return std::make_unique<GuardedStream>(role);
  }
  void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) override {
    stream.Run([=, &stream] { stream.ops_of_work().Copy(device, host, bytes); });
  }
  void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) override {
    stream.Run([=, &stream] { stream.ops_of_work().Copy(host, device, bytes); });
  }

 private:
  MemorySource& memory_;
  const MakeOps make_ops_;
  std::mutex mutex_;
  std::map<void*, std::pair<int64_t, MemoryKind>> counted_;
};

}  // namespace

GuardedMemoryIsOpen::GuardedMemoryIsOpen() { GuardedMemory::OfThisProcess().Open(1); }
GuardedMemoryIsOpen::~GuardedMemoryIsOpen() { GuardedMemory::OfThisProcess().Open(-1); }

std::unique_ptr<Device> MakeGuardedDevice(MemorySource& memory, MakeOps make_ops) {
  return std::make_unique<GuardedDevice>(memory, std::move(make_ops));
}

}  // namespace zerocts::engine
