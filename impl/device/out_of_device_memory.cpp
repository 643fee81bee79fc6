#include "impl/device/out_of_device_memory.hpp"

#include <fmt/format.h>

namespace zerocts::engine {

OutOfDeviceMemory::OutOfDeviceMemory(const std::string& device, int64_t wanted, MemoryKind kind, int64_t held,
                                     int64_t capacity)
    : sentence_(fmt::format("{} device: wanted {} bytes ({}), but holds {} of its {} bytes", device, wanted,
                            NameOf(kind), held, capacity)) {}

const char* NameOf(MemoryKind kind) {
  constexpr const char* kNames[] = {"parameter", "gradient", "optimizer", "buffer"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace zerocts::engine
