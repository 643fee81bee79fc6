// Kernels for AVX-512; compiled with its own flags (CMakeLists.txt).
#include <immintrin.h>

#define ZEROCTS_KERNEL_TABLE kX86_64V4Kernels
#define ZEROCTS_KERNEL_NAME "x86-64-v4"
#include "reference/numerics/contraction_probe.hpp"
#include "reference/numerics/lane_tree.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/kernel_table.hpp"

namespace zerocts {
namespace {

constexpr int kTileRows = 14, kWidth = 16;  // 28 sums, 2 vectors of b and one element of a: 31 of 32 registers

using Vector = __m512;
ZEROCTS_INLINE Vector Zero() { return _mm512_setzero_ps(); }
ZEROCTS_INLINE Vector Load(const float* in) { return _mm512_loadu_ps(in); }
ZEROCTS_INLINE Vector LoadPart(const float* in, int64_t count) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), in);
}
ZEROCTS_INLINE void Store(float* out, Vector x) { _mm512_storeu_ps(out, x); }
ZEROCTS_INLINE void StorePastCaches(float* out, Vector x) { _mm512_stream_ps(out, x); }
ZEROCTS_INLINE void Fence() { _mm_sfence(); }
ZEROCTS_INLINE Vector Broadcast(const float* in) { return _mm512_set1_ps(*in); }
ZEROCTS_INLINE Vector MultiplyAdd(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }

/// A word is an element.
struct Packer {
  static constexpr int64_t kPerWord = 1, kExponentFloor = 0;
  Vector Along(const float* in, int64_t count) { return count == kWidth ? Load(in) : LoadPart(in, count); }
  Vector Across(const float* in, int64_t, int64_t, int64_t count) { return Along(in, count); }
  int64_t SmallestExponent() const { return 255; }
};

}  // namespace
}  // namespace zerocts

#include "reference/ops/kernels_body.inc"
