#pragma once

namespace zerocts::engine {

/// Every byte of what nobody has written yet: of a NaN, in fp32 and in bf16.
inline constexpr int kNaNByte = 0xff;

}  // namespace zerocts::engine
