// Memory of the engine: who holds how much of what, and who gives it back.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "impl/comm/communicator.hpp"

namespace zerocts {

/// Bytes by MemoryKind.
struct MemoryLedger {
  std::array<int64_t, 4> bytes{};
  int64_t& operator[](MemoryKind kind) { return bytes[static_cast<size_t>(kind)]; }
  int64_t operator[](MemoryKind kind) const { return bytes[static_cast<size_t>(kind)]; }
};

/// One allocation, entered in the ledger while it lives.
class Buffer {
 public:
  Buffer() = default;

  static Buffer OfDevice(Device& device, int64_t bytes, MemoryKind kind, MemoryLedger& ledger) {
    return Buffer(device.Allocate(bytes, kind), bytes, kind, ledger, [&device](void* memory) { device.Free(memory); });
  }
  /// Collective: memory on which collectives work.
  static Buffer OfCommunicator(Communicator& comm, int64_t bytes, MemoryKind kind, MemoryLedger& ledger) {
    return Buffer(comm.Allocate(bytes, kind), bytes, kind, ledger, [&comm](void* memory) { comm.Free(memory); });
  }

  ~Buffer() {
    if (!memory_) return;
    (*ledger_)[kind_] -= bytes_;
    free_(memory_);
  }
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    std::swap(kind_, other.kind_);
    std::swap(ledger_, other.ledger_);
    std::swap(free_, other.free_);
    return *this;
  }

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  Buffer(void* memory, int64_t bytes, MemoryKind kind, MemoryLedger& ledger, std::function<void(void*)> free)
      : memory_(memory), bytes_(bytes), kind_(kind), ledger_(&ledger), free_(std::move(free)) {
    ledger[kind] += bytes;
  }

  void* memory_ = nullptr;
  int64_t bytes_ = 0;
  MemoryKind kind_ = MemoryKind::kBuffer;
  MemoryLedger* ledger_ = nullptr;
  std::function<void(void*)> free_;
};

}  // namespace zerocts
