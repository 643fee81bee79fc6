// Memory of the process, for engines without a host that counts it.
#pragma once
#include "impl/device/device.hpp"

namespace zerocts::library {

class HeapMemory : public engine::MemorySource {
 public:
  void* Allocate(int64_t bytes, engine::MemoryKind kind) override;
  void Free(void* memory) override;
};

}  // namespace zerocts::library
