// Memory of the engine: who holds how much of what, and who gives it back.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

/// What this rank holds, by MemoryKind, and the most that it ever held.
class MemoryLedger {
 public:
  void Add(MemoryKind kind, int64_t bytes, bool on_host = false) {
    bytes_[static_cast<size_t>(kind)] += bytes;
    if (on_host) on_host_ += bytes;
    peak_ = std::max(peak_, total());
  }
  int64_t operator[](MemoryKind kind) const { return bytes_[static_cast<size_t>(kind)]; }
  int64_t total() const { return bytes_[0] + bytes_[1] + bytes_[2] + bytes_[3]; }
  int64_t peak() const { return peak_; }
  int64_t on_host() const { return on_host_; }  // offloaded

 private:
  std::array<int64_t, 4> bytes_{};
  int64_t peak_ = 0, on_host_ = 0;
};

/// One allocation, entered in the ledger while it lives.
class Buffer {
 public:
  Buffer() = default;

  static Buffer OfDevice(Device& device, int64_t bytes, MemoryKind kind, MemoryLedger& ledger) {
    return Buffer(device.Allocate(bytes, kind), bytes, kind, false, ledger,
                  [&device](void* memory) { device.Free(memory); });
  }
  static Buffer OfHost(Device& device, int64_t bytes, MemoryKind kind, MemoryLedger& ledger) {
    return Buffer(device.AllocateHost(bytes, kind), bytes, kind, true, ledger,
                  [&device](void* memory) { device.FreeHost(memory); });
  }
  /// Collective: memory on which collectives work.
  static Buffer OfCommunicator(Communicator& comm, int64_t bytes, MemoryKind kind, MemoryLedger& ledger) {
    return Buffer(comm.Allocate(bytes, kind), bytes, kind, false, ledger, [&comm](void* memory) { comm.Free(memory); });
  }

  ~Buffer() {
    if (!memory_) return;
    ledger_->Add(kind_, -bytes_, on_host_);
    free_(memory_);
  }
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(kind_, other.kind_);
    std::swap(on_host_, other.on_host_);
    std::swap(ledger_, other.ledger_);
    std::swap(free_, other.free_);
    return *this;
  }

  explicit operator bool() const { return memory_ != nullptr; }
  int64_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  Buffer(void* memory, int64_t bytes, MemoryKind kind, bool on_host, MemoryLedger& ledger,
         std::function<void(void*)> free)
      : memory_(memory), bytes_(bytes), kind_(kind), on_host_(on_host), ledger_(&ledger), free_(std::move(free)) {
    ledger.Add(kind, bytes, on_host);
  }

  void* memory_ = nullptr;
  int64_t bytes_ = 0;
  MemoryKind kind_ = MemoryKind::kBuffer;
  bool on_host_ = false;
  MemoryLedger* ledger_ = nullptr;
  std::function<void(void*)> free_;
};

}  // namespace zerocts::engine
