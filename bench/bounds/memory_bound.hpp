// What memory allows a collective: the same bytes read and written by every rank at once, in its own memory and with
// nobody to wait for.
#pragma once
#include <cstdint>

namespace zerocts {

/// out = in, as fast as this CPU does it.
void CopyAsBound(float* out, const float* in, int64_t numel);

/// out[i] = sum over `streams` of in[s * numel + i].
void SumAsBound(float* out, const float* in, int streams, int64_t numel);

// The memory traffic of AdamW without its arithmetic.

/// Reads four arrays, writes three of them.
void UpdateAsBound(float* master, float* moment1, float* moment2, const float* gradient, int64_t numel);
/// And writes the upper halves of the masters, as a rounding to bf16 would.
void UpdateAndNarrowAsBound(float* master, float* moment1, float* moment2, const float* gradient, uint16_t* narrow,
                            int64_t numel);

}  // namespace zerocts
