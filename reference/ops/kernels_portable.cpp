// Kernels for every CPU of the build's target; without FMA instructions fma is libm's: slow, with equal bits.
#define ZEROCTS_KERNEL_TABLE kPortableKernels
#define ZEROCTS_KERNEL_NAME "portable"
#include "reference/numerics/contraction_probe.hpp"
#include "reference/numerics/lane_tree.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/kernel_table.hpp"

namespace zerocts {
namespace {

constexpr int kTileRows = 4, kWidth = 4;  // fits 16 registers of 4 floats

typedef float Vector __attribute__((vector_size(16)));
ZEROCTS_INLINE Vector Zero() { return Vector{}; }
ZEROCTS_INLINE Vector LoadPart(const float* in, int64_t count) {
  Vector x{};
  for (int64_t i = 0; i < count; ++i) x[i] = in[i];
  return x;
}
ZEROCTS_INLINE Vector Load(const float* in) {
  Vector x;
  __builtin_memcpy(&x, in, sizeof(x));
  return x;
}
ZEROCTS_INLINE void Store(float* out, Vector x) { __builtin_memcpy(out, &x, sizeof(x)); }
ZEROCTS_INLINE void StorePastCaches(float* out, Vector x) { Store(out, x); }
ZEROCTS_INLINE void Fence() {}
ZEROCTS_INLINE Vector Broadcast(const float* in) { return Vector{*in, *in, *in, *in}; }
ZEROCTS_INLINE Vector MultiplyAdd(Vector a, Vector b, Vector c) {
  for (int i = 0; i < kWidth; ++i) c[i] = formulas::Fma(a[i], b[i], c[i]);
  return c;
}

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
