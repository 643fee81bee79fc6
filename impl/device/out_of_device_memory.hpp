// The end of a device's memory.
#pragma once
#include <new>
#include <string>

#include "impl/device/device.hpp"

namespace zerocts::engine {

class OutOfDeviceMemory : public std::bad_alloc {
 public:
  /// "sim device: wanted 4096 bytes (gradient), but holds 1000 of its 4500 bytes"
  OutOfDeviceMemory(const std::string& device, int64_t wanted, MemoryKind kind, int64_t held, int64_t capacity);
  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

const char* NameOf(MemoryKind kind);  // "gradient"

}  // namespace zerocts::engine
