// Kernels for AVX2 and FMA; compiled with its own flags (CMakeLists.txt).
#include <immintrin.h>

#define ZEROCTS_KERNEL_TABLE kX86_64V3Kernels
#define ZEROCTS_KERNEL_NAME "x86-64-v3"
#include "reference/numerics/contraction_probe.hpp"
#include "reference/numerics/lane_tree.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/kernel_table.hpp"

namespace zerocts {
namespace {

constexpr int kTileRows = 6, kWidth = 8;  // 12 sums, 2 vectors of b and one element of a: 15 of 16 registers

using Vector = __m256;
ZEROCTS_INLINE Vector Zero() { return _mm256_setzero_ps(); }
ZEROCTS_INLINE Vector Load(const float* in) { return _mm256_loadu_ps(in); }
ZEROCTS_INLINE Vector LoadPart(const float* in, int64_t count) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_maskload_ps(in, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lanes));
}
ZEROCTS_INLINE void Store(float* out, Vector x) { _mm256_storeu_ps(out, x); }
ZEROCTS_INLINE void StorePastCaches(float* out, Vector x) { _mm256_stream_ps(out, x); }
ZEROCTS_INLINE void Fence() { _mm_sfence(); }
ZEROCTS_INLINE Vector Broadcast(const float* in) { return _mm256_broadcast_ss(in); }
ZEROCTS_INLINE Vector MultiplyAdd(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }

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
