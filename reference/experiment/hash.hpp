// Hashes of tensors: XXH3-128 over little-endian bytes after every NaN was made canonical.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "reference/numerics/bf16.hpp"

namespace zerocts {

std::string HashOf(std::span<const float> values);  // 32 hex digits
std::string HashOf(std::span<const Bf16> values);
std::string HashOfBytes(const void* data, size_t bytes);  // as they are

}  // namespace zerocts
