// The memory traffic of AdamW without its arithmetic.
#pragma once
#include <cstdint>

namespace zerocts {

/// Reads four arrays, writes three of them.
void UpdateAsBound(float* master, float* moment1, float* moment2, const float* gradient, int64_t numel);
/// And writes the upper halves of the masters, as a rounding to bf16 would.
void UpdateAndNarrowAsBound(float* master, float* moment1, float* moment2, const float* gradient, uint16_t* narrow,
                            int64_t numel);

}  // namespace zerocts
