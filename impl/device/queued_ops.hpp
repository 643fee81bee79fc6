// Operations that happen later, on a stream that runs closures of the host.
#pragma once
#include "impl/device/device.hpp"

namespace zerocts::engine {

/// Every call enqueues the same call of `ops` on `stream`, with its arguments as they are now (what pointers point to
/// is read when the operation happens), and tells the stream which memory the operation overwrites without reading it:
/// what it writes and what overlaps nothing that it reads. `ops` may be called from several threads.
class QueuedOps final : public Ops {
 public:
  QueuedOps(Ops& ops, DeviceStream& stream) : ops_(ops), stream_(stream) {}

  void Copy(void* out, const void* in, int64_t bytes) override;
  void Fill(float* out, float value, int64_t numel) override;
  void CastToFloat(float* out, const Bf16* in, int64_t numel) override;
  void CastToBf16(Bf16* out, const float* in, int64_t numel) override;
  void RoundToBf16(float* inout, int64_t numel) override;
  void Add(float* inout, const float* in, int64_t numel) override;
  void Divide(float* inout, float divisor, int64_t numel) override;
  void Scale(float* inout, float factor, int64_t numel) override;
  void Max(float* inout, const float* in, int64_t numel) override;
  void FoldLeaves(float* out, const Fold& fold, std::span<const float* const> leaves, float divisor,
                  int64_t numel) override;
  void AddSquares(SumOfSquares* accumulator, const float* in, int64_t numel) override;
  void AddMagnitudes(SumOfMagnitudes* accumulator, const float* in, int64_t numel) override;
  void Sgd(const SgdScalars& s, float* master, float* momentum, const float* gradient, int64_t numel) override;
  void AdamW(const AdamWScalars& s, float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
             int64_t numel) override;
  void Adam(const OptimizerFormula& f, const AdamScalars& s, float* master, float* exp_avg, float* exp_avg_sq,
            const float* gradient, int64_t numel) override;
  void LambMoments(const OptimizerFormula& f, const AdamScalars& s, SumOfSquares* weights, SumOfSquares* updates,
                   const float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
                   int64_t numel) override;
  void LambApply(const OptimizerFormula& f, const AdamScalars& s, float step, float* master, const float* exp_avg,
                 const float* exp_avg_sq, int64_t numel) override;
  void MomentumSgd(const OptimizerFormula& f, const MomentumScalars& s, float* master, float* momentum,
                   const float* gradient, int64_t numel) override;
  void GemmNN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override;
  void GemmNT(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override;
  void GemmTN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override;
  void AddBias(float* inout, const float* bias, int64_t B, int64_t C) override;
  void BiasGradient(float* out, const float* upstream, int64_t B, int64_t C) override;
  void Gelu(float* out, float* tanh, const float* in, int64_t numel) override;
  void GeluGradient(float* out, const float* in, const float* tanh, const float* upstream, int64_t numel) override;
  void Embed(float* out, const float* table, VocabRange own, const int32_t* tokens, int64_t B, int64_t T,
             int64_t C) override;
  void EmbedGradient(float* table_gradient, VocabRange own, const float* upstream, const int32_t* tokens, int64_t B,
                     int64_t T, int64_t C) override;
  void LayerNorm(float* out, float* mean, float* rstd, const float* in, const float* weight, const float* bias,
                 float eps, int64_t R, int64_t C) override;
  void LayerNormGradient(float* downstream, float* weight_gradient, float* bias_gradient, const float* upstream,
                         const float* in, const float* mean, const float* rstd, const float* weight, int64_t R,
                         int64_t C) override;
  void CausalAttention(float* out, float* probabilities, float* qkv, bool round_operands,
                       const AttentionSizes& sizes) override;
  void CausalAttentionGradient(float* qkv_gradient, float* upstream, const float* qkv, const float* probabilities,
                               bool round_operands, const AttentionSizes& sizes) override;
  void SoftmaxCrossEntropy(float* loss, float* upstream, const float* logits, const int32_t* targets, int64_t B,
                           int64_t V) override;
  void LargestLogits(float* largest, float* target_logit, const float* logits, VocabRange own, const int32_t* targets,
                     int64_t B) override;
  void SoftmaxNumerators(Matrix numerators, float* sum, ConstMatrix logits, const float* largest, int64_t B,
                         int64_t columns) override;
  void CrossEntropyOfSums(float* loss, float* upstream, const float* largest, const float* sum,
                          const float* target_logit, VocabRange own, const int32_t* targets, int64_t B) override;

 private:
  template <typename Operation>
  void Enqueue(Operation operation, std::vector<Overwritten> overwritten = {}) {
    stream_.Run([&ops = ops_, operation = std::move(operation)] { operation(ops); }, std::move(overwritten));
  }

  Ops& ops_;
  DeviceStream& stream_;
};

}  // namespace zerocts::engine
