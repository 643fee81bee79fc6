// What a transport holds for its messages: one piece of memory that grows with the largest call.
#pragma once
#include <cstddef>
#include <utility>

#include "impl/device/device.hpp"

namespace zerocts::engine {

class Staging {
 public:
  explicit Staging(Device& device) : device_(device) {}
  ~Staging() { Release(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// At least `bytes`, which calls enqueued on `stream` may use one after the other. Where it has to grow it waits for
  /// those that use the old memory.
  std::byte* Reserve(int64_t bytes, DeviceStream& stream) {
    if (bytes > bytes_) {
      stream.Synchronize();
      Release();
      memory_ = device_.Allocate(bytes, MemoryKind::kBuffer);
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(memory_);
  }

  int64_t bytes() const { return bytes_; }

  /// The memory is left to messages that may still come.
  void Abandon() { memory_ = nullptr; }

 private:
  void Release() {
    if (memory_) device_.Free(std::exchange(memory_, nullptr));
    bytes_ = 0;
  }

  Device& device_;
  void* memory_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace zerocts::engine
