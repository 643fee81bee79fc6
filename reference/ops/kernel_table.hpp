// The host operations that depend on the instruction set, as a table of functions. One table per kernel file.
#pragma once
#include <cstdint>

#include "reference/ops/gemm_kernels.hpp"
#include "reference/ops/layer_kernels.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

/// Biased exponents of values that are not zero; smallest > largest when all are.
struct BiasedExponents {
  int32_t smallest, largest;
};

/// Squares of at most kValues values, exact: low + high * 2^40 units of the squared mantissas of the exponent `base`.
struct WindowSums {
  static constexpr int64_t kValues = 4096;
  static constexpr int32_t kExponents = 21;  // [base, base + kExponents): high is in units of the last one
  uint64_t low = 0, high = 0;
};

struct KernelTable {
  const char* name;
  bool (*contracts)();  // true when this file was compiled with products fused into sums: its bits are wrong

  void (*cast_to_float)(float* out, const Bf16* in, int64_t numel);
  void (*cast_to_bf16)(Bf16* out, const float* in, int64_t numel);
  void (*round_to_bf16)(float* inout, int64_t numel);
  void (*add)(float* inout, const float* in, int64_t numel);
  void (*divide)(float* inout, float divisor, int64_t numel);
  /// out[i] = (leaves[0][i] + leaves[1][i] + ..) / divisor for i in [begin, end). Past the caches: what is overwritten
  /// is not read first, and the result is in memory, which is faster where neither would be in a cache.
  void (*add_leaves)(float* out, const float* const* leaves, int count, float divisor, bool past_caches, int64_t begin,
                     int64_t end);

  void (*sgd)(const SgdScalars& s, float* master, float* momentum, const float* gradient, int64_t numel);
  void (*adamw)(const AdamWScalars& s, float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
                int64_t numel);

  // In any formula, see ops/optimizer_formula.hpp.
  void (*scale)(float* inout, float factor, int64_t numel);
  void (*adam)(const OptimizerFormula& f, const AdamScalars& s, float* master, float* exp_avg, float* exp_avg_sq,
               const float* gradient, int64_t numel);
  /// Advances the moments; update[i] is what lamb_apply multiplies by its step.
  void (*lamb_moments)(const OptimizerFormula& f, const AdamScalars& s, float* update, const float* master,
                       float* exp_avg, float* exp_avg_sq, const float* gradient, int64_t numel);
  void (*lamb_apply)(const OptimizerFormula& f, const AdamScalars& s, float step, float* master, const float* exp_avg,
                     const float* exp_avg_sq, int64_t numel);
  void (*momentum_sgd)(const OptimizerFormula& f, const MomentumScalars& s, float* master, float* momentum,
                       const float* gradient, int64_t numel);

  void (*gelu)(float* out, float* tanh, const float* in, int64_t numel);
  void (*gelu_gradient)(float* out, const float* in, const float* tanh, const float* upstream, int64_t numel);
  /// Gradients of classes that are not the target; numerators in.
  void (*softmax_gradients)(float* inout, float sum, float batch, int64_t numel);

  BiasedExponents (*exponents)(const float* in, int64_t numel);
  /// Leaves out values with exponents below `base`; there are none above the window.
  WindowSums (*window_squares)(const float* in, int64_t numel, int32_t base);

  const GemmKernels* gemm;
  const GemmKernels* gemm_pairs;  // for bf16 operands; null where they do not multiply in pairs

  LayerKernels layers;
};

extern const KernelTable kPortableKernels;
extern const KernelTable kX86_64V3Kernels;  // AVX2, FMA
extern const KernelTable kX86_64V4Kernels;  // AVX-512 F, BW, DQ, VL
extern const GemmKernels kX86_64Bf16Pairs;  // and AVX-512 BF16

}  // namespace zerocts
