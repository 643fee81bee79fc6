// The kernels of layers: sums of the lane tree over rows and columns, normalisation, softmax, attention products.
// Part of a KernelTable.
#pragma once
#include <cstdint>

namespace zerocts {

/// c[M, columns] (row i at i * c_stride) takes its fma chains, from +0 or from what it holds, over k = 0..K-1 of
/// a[i, k] panel[k, columns]: a[i, k] stands at i * row_stride + k * k_stride, panel is dense with chain_columns >=
/// columns per row, padded.
using ChainKernel = void(float* c, int64_t c_stride, bool continues, const float* a, int64_t row_stride,
                         int64_t k_stride, const float* panel, int64_t columns, int64_t M, int64_t K);

struct LayerKernels {
  // --- elementary functions, elementwise
  void (*exp)(float* out, const float* in, int64_t numel);
  void (*log)(float* out, const float* in, int64_t numel);
  void (*tanh)(float* out, const float* in, int64_t numel);

  // --- reductions
  float (*lane_tree_sum)(const float* in, int64_t numel);
  /// out[c] = LaneTreeSum over r of in[r * stride + c], c < columns
  void (*column_sums)(float* out, const float* in, int64_t stride, int64_t R, int64_t columns);

  // --- softmax
  /// R rows of C, `stride` apart in `in` and `out`, which may be `in`: out = Exp(scale * in - largest), the largest of
  /// scale * in (NaN is skipped) left in largest[R], LaneTreeSum(out) in sum[R]. A scale of 1 leaves `in` as it is.
  void (*softmax_numerators)(float* out, float* largest, float* sum, const float* in, float scale, int64_t stride,
                             int64_t R, int64_t C);
  /// The two halves of it, with a scale of 1: rows that stand `stride` apart.
  void (*row_largest)(float* largest, const float* in, int64_t stride, int64_t R, int64_t C);
  void (*numerators_of_largest)(float* out, float* sum, const float* in, const float* largest, int64_t out_stride,
                                int64_t in_stride, int64_t R, int64_t C);
  /// inout = ScoreGradient(p, inout, LaneTreeSum(p * inout), scale)
  void (*score_gradients)(float* inout, const float* p, float scale, int64_t numel);

  // --- LayerNorm, R dense rows
  void (*layer_norm)(float* out, float* mean, float* rstd, const float* in, const float* weight, const float* bias,
                     float eps, int64_t R, int64_t C);
  void (*layer_norm_downstream)(float* downstream, const float* upstream, const float* in, const float* mean,
                                const float* rstd, const float* weight, int64_t R, int64_t C);
  /// Gradients of `columns` channels; rows stand `stride` apart.
  void (*layer_norm_parameters)(float* weight_gradient, float* bias_gradient, const float* upstream, const float* in,
                                const float* mean, const float* rstd, int64_t stride, int64_t R, int64_t columns);

  // --- products of attention
  ChainKernel* chain_panel;
  ChainKernel* chain_panel_lower;  // row i: k = 0..K+i
  ChainKernel* chain_panel_upper;  // row i: k = i..K-1; M <= K
  int64_t chain_columns;
};

}  // namespace zerocts
