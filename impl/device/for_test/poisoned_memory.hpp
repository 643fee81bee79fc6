// Memory for unit tests: every fresh byte is 0xff, so an element that nobody wrote is a NaN in fp32 and in bf16.
#pragma once
#include <cstdlib>
#include <cstring>
#include <new>

#include "impl/device/device.hpp"

namespace zerocts::engine {

class PoisonedMemory : public MemorySource {
 public:
  void* Allocate(int64_t bytes, MemoryKind) override {
    void* memory = std::malloc(static_cast<size_t>(bytes) + 1);
    if (!memory) throw std::bad_alloc();
    return std::memset(memory, 0xff, static_cast<size_t>(bytes) + 1);
  }
  void Free(void* memory) override { std::free(memory); }
};

}  // namespace zerocts::engine
