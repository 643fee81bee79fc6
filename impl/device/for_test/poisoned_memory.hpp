// Memory for unit tests: every fresh byte is 0xff, so an element that nobody wrote is a NaN in fp32 and in bf16. What a
// test that an error ended did not free goes with the source.
#pragma once
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "impl/device/device.hpp"

namespace zerocts::engine {

class PoisonedMemory : public MemorySource {
 public:
  void* Allocate(int64_t bytes, MemoryKind) override {
    const auto size = static_cast<size_t>(bytes) + 1;
    auto memory = std::make_unique<std::byte[]>(size);
    void* const begin = std::memset(memory.get(), 0xff, size);
    const std::lock_guard lock(mutex_);
    held_[begin] = std::move(memory);
    return begin;
  }
  void Free(void* memory) override {
    const std::lock_guard lock(mutex_);
    held_.erase(memory);
  }

 private:
  std::mutex mutex_;
  std::map<void*, std::unique_ptr<std::byte[]>> held_;
};

}  // namespace zerocts::engine
