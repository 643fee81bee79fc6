// Products of bf16 operands in pairs (VDPBF16PS), with the bits of the chain of fmas; compiled with its own flags
// (CMakeLists.txt).
//
// The instruction adds to each sum first the product of the upper halves, then that of the lower halves, each rounded
// once like an fma of exact operands; so the earlier k stands in the upper half. But it takes subnormals, operands and
// results, for zero. A product of numbers with biased exponents e and f is a multiple of 2^(e - 134) 2^(f - 134); from
// e + f = 142 on that is 2^-126, no sum on the way is subnormal, and nothing is lost.
#include <immintrin.h>

#include "reference/numerics/inline.hpp"
#include "reference/ops/kernel_table.hpp"

namespace zerocts {
namespace {

constexpr int kTileRows = 14, kWidth = 16;  // 28 sums, 2 vectors of b and one word of a: 31 of 32 registers

using Vector = __m512;
ZEROCTS_INLINE Vector Zero() { return _mm512_setzero_ps(); }
ZEROCTS_INLINE Vector Load(const float* in) { return _mm512_loadu_ps(in); }
ZEROCTS_INLINE void Store(float* out, Vector x) { _mm512_storeu_ps(out, x); }
ZEROCTS_INLINE Vector Broadcast(const float* in) { return _mm512_set1_ps(*in); }
ZEROCTS_INLINE Vector MultiplyAdd(Vector a, Vector b, Vector c) {
  return _mm512_dpbf16_ps(c, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
}

/// A word is two elements, the earlier k in the upper half; an element that is missing is +0.
class Packer {
 public:
  static constexpr int64_t kPerWord = 2, kExponentFloor = 142;

  Vector Along(const float* in, int64_t count) {
    const Words left = Elements(in, count < kWidth ? count : kWidth);
    const Words right = count > kWidth ? Elements(in + kWidth, count - kWidth) : Words{};
    return Pairs(__builtin_shufflevector(left, right, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                 __builtin_shufflevector(left, right, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
  }
  Vector Across(const float* in, int64_t stride, int64_t present, int64_t count) {
    return Pairs(Elements(in, count), present > 1 ? Elements(in + stride, count) : Words{});
  }
  int64_t SmallestExponent() const {
    uint32_t smallest = 0xffffffffu;
    for (int i = 0; i < kWidth; ++i) smallest = smallest_[i] < smallest ? smallest_[i] : smallest;
    if (smallest == 0xffffffffu) return 255;
    const int64_t exponent = (smallest + 1) >> 24;
    return exponent > 0 ? exponent : GemmKernels::kSubnormal;
  }

 private:
  typedef uint32_t Words __attribute__((vector_size(64)));

  Words Elements(const float* in, int64_t count) {
    const auto bits = reinterpret_cast<Words>(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), in));
    const Words size = (bits << 1) - 1;  // without its sign, and less one: a zero becomes the largest number
    smallest_ = size < smallest_ ? size : smallest_;
    return bits;
  }
  static Vector Pairs(Words earlier, Words later) {
    return reinterpret_cast<Vector>((earlier & 0xffff0000u) | (later >> 16));
  }

  Words smallest_ = Words{} - 1;
};

}  // namespace
}  // namespace zerocts

#include "reference/ops/kernels_gemm.inc"

namespace zerocts {

const GemmKernels kX86_64Bf16Pairs = kGemmKernels;

}  // namespace zerocts
