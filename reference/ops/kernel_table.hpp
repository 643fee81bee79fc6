// The host operations that depend on the instruction set, as a table of functions. One table per kernel file.
#pragma once
#include <cstdint>

#include "reference/ops/ops.hpp"

namespace zerocts {

struct KernelTable {
  const char* name;
  bool (*contracts)();  // true when this file was compiled with products fused into sums: its bits are wrong

  void (*cast_to_float)(float* out, const Bf16* in, int64_t numel);
  void (*cast_to_bf16)(Bf16* out, const float* in, int64_t numel);
  void (*round_to_bf16)(float* inout, int64_t numel);
  void (*add)(float* inout, const float* in, int64_t numel);
  void (*divide)(float* inout, float divisor, int64_t numel);

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

  void (*gelu)(float* out, const float* in, int64_t numel);
  void (*gelu_gradient)(float* out, const float* in, const float* upstream, int64_t numel);
  void (*softmax_numerators)(float* out, const float* logits, float largest, int64_t numel);
  /// Of classes that are not the target; numerators in.
  void (*softmax_gradients)(float* inout, float sum, float batch, int64_t numel);

  /// c[M, columns] = a[M, K] panel[K, columns]: a[i, k] stands at i * row_stride + k * k_stride, row i of c at
  /// i * c_stride; panel is dense with panel_columns >= columns per row, padded.
  void (*gemm_panel)(float* c, int64_t c_stride, const float* a, int64_t row_stride, int64_t k_stride,
                     const float* panel, int64_t columns, int64_t M, int64_t K);
  int64_t panel_columns;
};

extern const KernelTable kPortableKernels;
extern const KernelTable kX86_64V3Kernels;  // AVX2, FMA
extern const KernelTable kX86_64V4Kernels;  // AVX-512 F, BW, DQ, VL

}  // namespace zerocts
