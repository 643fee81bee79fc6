// One element of each elementwise operation, for grids of threads: body(i) for every i in [0, numel), in any order;
// where it returns a value, that is the element (map_group.hpp). The formulas are those of reference/ops; who runs a
// body over its elements is a Grid (grid_elementwise_ops.hpp).
#pragma once
#include "reference/numerics/bf16.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/optimizer_formulas.hpp"

namespace zerocts::engine::bodies {

struct Fill {
  float value;
  ZEROCTS_INLINE float operator()(int64_t) const { return value; }
};

struct CastToFloat {
  const Bf16* in;
  ZEROCTS_INLINE float operator()(int64_t i) const { return ToFloat(in[i]); }
};

struct CastToBf16 {
  const float* in;
  ZEROCTS_INLINE Bf16 operator()(int64_t i) const { return ToBf16(in[i]); }
};

struct RoundToBf16 {
  const float* in;
  ZEROCTS_INLINE float operator()(int64_t i) const { return zerocts::RoundToBf16(in[i]); }
};

struct Add {
  const float *to, *in;
  ZEROCTS_INLINE float operator()(int64_t i) const { return to[i] + in[i]; }
};

struct Divide {
  const float* in;
  float divisor;
  ZEROCTS_INLINE float operator()(int64_t i) const { return in[i] / divisor; }
};

struct Scale {
  const float* in;
  float factor;
  ZEROCTS_INLINE float operator()(int64_t i) const { return in[i] * factor; }
};

struct Max {
  const float *to, *in;
  ZEROCTS_INLINE float operator()(int64_t i) const { return formulas::Max(to[i], in[i]); }
};

// --- optimizers

struct Sgd {
  SgdScalars scalars;
  float *master, *momentum;
  const float* gradient;
  ZEROCTS_INLINE void operator()(int64_t i) const { formulas::Sgd(scalars, master[i], momentum[i], gradient[i]); }
};

struct AdamW {
  AdamWScalars scalars;
  float *master, *exp_avg, *exp_avg_sq;
  const float* gradient;
  ZEROCTS_INLINE void operator()(int64_t i) const {
    formulas::AdamW(scalars, master[i], exp_avg[i], exp_avg_sq[i], gradient[i]);
  }
};

struct Adam {
  OptimizerFormula formula;
  AdamScalars scalars;
  float *master, *exp_avg, *exp_avg_sq;
  const float* gradient;
  ZEROCTS_INLINE void operator()(int64_t i) const {
    formulas::Adam(formula, scalars, master[i], exp_avg[i], exp_avg_sq[i], gradient[i]);
  }
};

struct LambApply {
  OptimizerFormula formula;
  AdamScalars scalars;
  float step;
  float* master;
  const float *exp_avg, *exp_avg_sq;
  ZEROCTS_INLINE void operator()(int64_t i) const {
    const float update = formulas::LambUpdate(formula, scalars, master[i], exp_avg[i], exp_avg_sq[i]);
    master[i] = formulas::MultiplyAdd(formula.products, -step, update, master[i]);
  }
};

struct MomentumSgd {
  OptimizerFormula formula;
  MomentumScalars scalars;
  float *master, *momentum;
  const float* gradient;
  ZEROCTS_INLINE void operator()(int64_t i) const {
    formulas::MomentumSgd(formula, scalars, master[i], momentum[i], gradient[i]);
  }
};

// --- layers

/// to[b, c] + bias[c]
struct AddBias {
  const float *to, *bias;
  int64_t C;
  ZEROCTS_INLINE float operator()(int64_t i) const { return to[i] + bias[i % C]; }
};

struct Gelu {
  float *out, *tanh;
  const float* in;
  ZEROCTS_INLINE void operator()(int64_t i) const {
    const float x = in[i], th = formulas::GeluTanh(x);
    tanh[i] = th;
    out[i] = formulas::Gelu(x, th);
  }
};

struct GeluGradient {
  const float *in, *tanh, *upstream;
  ZEROCTS_INLINE float operator()(int64_t i) const { return formulas::GeluGradient(in[i], tanh[i], upstream[i]); }
};

/// Element i of out [rows, C]: row i / C of it is the table's row of that token.
struct Embed {
  const float* table;
  VocabRange own;
  const int32_t* tokens;
  int64_t C;
  ZEROCTS_INLINE float operator()(int64_t i) const {
    const int32_t token = tokens[i / C];
    return own.Has(token) ? table[(token - own.begin) * C + i % C] : -0.0f;
  }
};

}  // namespace zerocts::engine::bodies
