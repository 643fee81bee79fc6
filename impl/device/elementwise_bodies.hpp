// One element of each elementwise operation, for grids of threads: body(i) for every i in [0, numel), in any order. The
// formulas are those of reference/ops; who runs a body over its elements is a Grid (grid_elementwise_ops.hpp).
#pragma once
#include "reference/numerics/bf16.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/optimizer_formulas.hpp"

namespace zerocts::engine::bodies {

struct Fill {
  float* out;
  float value;
  ZEROCTS_INLINE void operator()(int64_t i) const { out[i] = value; }
};

struct CastToFloat {
  float* out;
  const Bf16* in;
  ZEROCTS_INLINE void operator()(int64_t i) const { out[i] = ToFloat(in[i]); }
};

struct CastToBf16 {
  Bf16* out;
  const float* in;
  ZEROCTS_INLINE void operator()(int64_t i) const { out[i] = ToBf16(in[i]); }
};

struct RoundToBf16 {
  float* inout;
  ZEROCTS_INLINE void operator()(int64_t i) const { inout[i] = zerocts::RoundToBf16(inout[i]); }
};

struct Add {
  float* inout;
  const float* in;
  ZEROCTS_INLINE void operator()(int64_t i) const { inout[i] += in[i]; }
};

struct Divide {
  float* inout;
  float divisor;
  ZEROCTS_INLINE void operator()(int64_t i) const { inout[i] /= divisor; }
};

struct Scale {
  float* inout;
  float factor;
  ZEROCTS_INLINE void operator()(int64_t i) const { inout[i] *= factor; }
};

struct Max {
  float* inout;
  const float* in;
  ZEROCTS_INLINE void operator()(int64_t i) const { inout[i] = formulas::Max(inout[i], in[i]); }
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

/// inout[b, c] += bias[c]
struct AddBias {
  float* inout;
  const float* bias;
  int64_t C;
  ZEROCTS_INLINE void operator()(int64_t i) const { inout[i] += bias[i % C]; }
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
  float* out;
  const float *in, *tanh, *upstream;
  ZEROCTS_INLINE void operator()(int64_t i) const { out[i] = formulas::GeluGradient(in[i], tanh[i], upstream[i]); }
};

/// Element i of out [rows, C]: row i / C of it is the table's row of that token.
struct Embed {
  float* out;
  const float* table;
  VocabRange own;
  const int32_t* tokens;
  int64_t C;
  ZEROCTS_INLINE void operator()(int64_t i) const {
    const int32_t token = tokens[i / C];
    out[i] = own.Has(token) ? table[(token - own.begin) * C + i % C] : -0.0f;
  }
};

/// Channel c of the whole table's gradient, which is zero before: tokens in (b, t) order.
struct EmbedGradient {
  float* table_gradient;
  VocabRange own;
  const float* upstream;
  const int32_t* tokens;
  int64_t rows, C;
  ZEROCTS_INLINE void operator()(int64_t c) const {
    for (int64_t i = 0; i < rows; ++i) {
      if (own.Has(tokens[i])) table_gradient[(tokens[i] - own.begin) * C + c] += upstream[i * C + c];
    }
  }
};

}  // namespace zerocts::engine::bodies
