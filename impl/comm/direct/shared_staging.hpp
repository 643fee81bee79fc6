// Staging that all ranks of one host read: each rank's piece of it is within reach of the others.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "impl/comm/direct/communicator.hpp"

namespace zerocts::engine {

class SharedStaging {
 public:
  explicit SharedStaging(DirectCommunicator& host) : host_(host) {}
  ~SharedStaging() { Release(); }
  SharedStaging(const SharedStaging&) = delete;
  SharedStaging& operator=(const SharedStaging&) = delete;

  /// Collective over the host's ranks, with the same `bytes`, at least so many for each: where each rank's are,
  /// [world_size of the host]. Otherwise as Staging::Reserve.
  std::vector<std::byte*> Reserve(int64_t bytes, DeviceStream& stream) {
    if (bytes > bytes_) {
      stream.Synchronize();
      Release();
      memory_ = host_.Allocate(bytes, MemoryKind::kBuffer);
      bytes_ = bytes;
    }
    return bytes_ > 0 ? host_.PlaceOf(memory_).window->of_rank
                      : std::vector<std::byte*>(static_cast<size_t>(host_.world_size()));
  }

  int64_t bytes() const { return bytes_; }  // of this rank

  /// The memory is left to messages that may still come.
  void Abandon() { memory_ = nullptr; }

 private:
  void Release() {
    if (memory_) host_.Free(std::exchange(memory_, nullptr));
    bytes_ = 0;
  }

  DirectCommunicator& host_;
  void* memory_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace zerocts::engine
