// The operations of reference/ops on a Grid (grid_elementwise_ops.hpp), all of them: here matrix products and layers.
#pragma once
#include "impl/device/attention_bodies.hpp"
#include "impl/device/gemm_body.hpp"
#include "impl/device/grid_elementwise_ops.hpp"
#include "impl/device/layer_bodies.hpp"

namespace zerocts::engine {

template <typename Grid>
class GridOps : public GridElementwiseOps<Grid> {
 public:
  using GridElementwiseOps<Grid>::GridElementwiseOps;

  // Operands in bf16 have the same chains; nothing is made of the promise.
  void GemmNN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands) override {
    Multiply(bodies::Gemm<Along::kK, Along::kLines>{{}, c, a, b, M, N, K});
  }
  void GemmNT(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands) override {
    Multiply(bodies::Gemm<Along::kK, Along::kK>{{}, c, a, b, M, N, K});
  }
  void GemmTN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands) override {
    Multiply(bodies::Gemm<Along::kLines, Along::kLines>{{}, c, a, b, M, N, K});
  }

  void AddBias(float* inout, const float* bias, int64_t B, int64_t C) override {
    this->grid_.Map(inout, B * C, bodies::AddBias{inout, bias, C});
  }
  void BiasGradient(float* out, const float* upstream, int64_t B, int64_t C) override {
    this->grid_.Teams(ColumnTeams(C), bodies::ColumnSums{out, upstream, B, C});
  }
  void Gelu(float* out, float* tanh, const float* in, int64_t numel) override {
    this->grid_.ForEach(numel, bodies::Gelu{out, tanh, in});
  }
  void GeluGradient(float* out, const float* in, const float* tanh, const float* upstream, int64_t numel) override {
    this->grid_.Map(out, numel, bodies::GeluGradient{in, tanh, upstream});
  }

  void Embed(float* out, const float* table, VocabRange own, const int32_t* tokens, int64_t B, int64_t T,
             int64_t C) override {
    this->grid_.Map(out, B * T * C, bodies::Embed{table, own, tokens, C});
  }
  void EmbedGradient(float* table_gradient, VocabRange own, const float* upstream, const int32_t* tokens, int64_t B,
                     int64_t T, int64_t C) override {
    this->Fill(table_gradient, 0.0f, own.numel() * C);
    this->grid_.Teams(B * T, bodies::EmbedGradient{table_gradient, own, upstream, tokens, B * T, C});
  }

  void LayerNorm(float* out, float* mean, float* rstd, const float* in, const float* weight, const float* bias,
                 float eps, int64_t R, int64_t C) override {
    this->grid_.Teams(R, bodies::LayerNorm{out, mean, rstd, in, weight, bias, eps, C});
  }
  void LayerNormGradient(float* downstream, float* weight_gradient, float* bias_gradient, const float* upstream,
                         const float* in, const float* mean, const float* rstd, const float* weight, int64_t R,
                         int64_t C) override {
    this->grid_.Teams(ColumnTeams(C), bodies::LayerNormParameterGradients{weight_gradient, bias_gradient, upstream, in,
                                                                          mean, rstd, R, C});
    this->grid_.Teams(R, bodies::LayerNormGradient{downstream, upstream, in, mean, rstd, weight, C});
  }

  void CausalAttention(float* out, float* probabilities, float* qkv, bool round_operands,
                       const AttentionSizes& sizes) override {
    if (round_operands) this->RoundToBf16(qkv, sizes.qkv_numel());
    this->grid_.Teams(sizes.B * sizes.heads * sizes.T,
                      bodies::CausalAttention{out, probabilities, qkv, {sizes, round_operands}});
  }
  void CausalAttentionGradient(float* qkv_gradient, float* upstream, const float* qkv, const float* probabilities,
                               bool round_operands, const AttentionSizes& sizes) override {
    if (round_operands) this->RoundToBf16(upstream, sizes.out_numel());
    const bodies::Heads h{sizes, round_operands};
    typename Grid::Scratch score_gradients(this->grid_, sizes.squares_numel());
    this->grid_.Teams(
        sizes.B * sizes.heads * sizes.T,
        bodies::AttentionRowGradients{score_gradients.values(), qkv_gradient, upstream, qkv, probabilities, h});
    this->grid_.ForEach(
        sizes.B * sizes.T * sizes.kv_width(),
        bodies::AttentionColumnGradients{qkv_gradient, score_gradients.values(), upstream, qkv, probabilities, h});
  }

  void SoftmaxCrossEntropy(float* loss, float* upstream, const float* logits, const int32_t* targets, int64_t B,
                           int64_t V) override {
    this->grid_.Teams(B, bodies::SoftmaxCrossEntropy{loss, upstream, logits, targets, static_cast<float>(B), V});
  }
  void LargestLogits(float* largest, float* target_logit, const float* logits, VocabRange own, const int32_t* targets,
                     int64_t B) override {
    this->grid_.Teams(B, bodies::LargestLogits{largest, target_logit, logits, own, targets});
  }
  void SoftmaxNumerators(Matrix numerators, float* sum, ConstMatrix logits, const float* largest, int64_t B,
                         int64_t columns) override {
    this->grid_.Teams(B, bodies::SoftmaxNumerators{numerators, sum, logits, largest, columns});
  }
  void CrossEntropyOfSums(float* loss, float* upstream, const float* largest, const float* sum,
                          const float* target_logit, VocabRange own, const int32_t* targets, int64_t B) override {
    this->grid_.Teams(
        B, bodies::CrossEntropyOfSums{loss, upstream, largest, sum, target_logit, own, targets, static_cast<float>(B)});
  }

 private:
  using Along = bodies::Along;

  static int64_t ColumnTeams(int64_t C) { return (C + bodies::kColumns - 1) / bodies::kColumns; }

  template <typename Gemm>
  void Multiply(const Gemm& gemm) {
    if (gemm.M > 0 && gemm.N > 0) this->grid_.Teams(gemm.tiles(), gemm);
  }
};

}  // namespace zerocts::engine
