// Rows of a matrix elsewhere, dense or not: element n of [rows, columns].
#pragma once
#include "reference/numerics/bf16.hpp"
#include "reference/ops/formulas.hpp"

namespace zerocts::engine::bodies {

struct CopyRows {
  float* out;
  int64_t out_stride;
  const float* in;
  int64_t in_stride, columns;
  ZEROCTS_INLINE void operator()(int64_t n) const {
    out[n / columns * out_stride + n % columns] = in[n / columns * in_stride + n % columns];
  }
};

struct CastRowsToBf16 {
  const float* in;
  int64_t in_stride, columns;
  ZEROCTS_INLINE Bf16 operator()(int64_t n) const { return ToBf16(in[n / columns * in_stride + n % columns]); }
};

}  // namespace zerocts::engine::bodies
