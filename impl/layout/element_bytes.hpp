// Bytes of one element of what engines hold and send.
#pragma once
#include <cstdint>

#include "reference/numerics/bf16.hpp"

namespace zerocts::engine {

inline constexpr int64_t kFloatBytes = sizeof(float);
inline constexpr int64_t kBf16Bytes = sizeof(Bf16);

}  // namespace zerocts::engine
