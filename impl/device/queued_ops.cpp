#include "impl/device/queued_ops.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace zerocts::engine {
namespace {

struct Read {
  const void* memory;
  int64_t bytes;
};

template <typename T>
Overwritten Written(T* values, int64_t numel) {
  return {values, numel * static_cast<int64_t>(sizeof(T))};
}
template <typename T>
Read In(const T* values, int64_t numel) {
  return {values, numel * static_cast<int64_t>(sizeof(T))};
}

bool Overlap(const Overwritten& written, const Read& read) {
  const auto w = reinterpret_cast<uintptr_t>(written.memory), r = reinterpret_cast<uintptr_t>(read.memory);
  return w < r + read.bytes && r < w + written.bytes;
}

/// What of `written` is not read too.
template <typename Reads = std::initializer_list<Read>>
std::vector<Overwritten> Blindly(std::vector<Overwritten> written, const Reads& reads) {
  std::erase_if(written, [&](const Overwritten& w) {
    return w.bytes <= 0 || std::any_of(reads.begin(), reads.end(), [&](const Read& r) { return Overlap(w, r); });
  });
  return written;
}

/// c[M, N] row by row: what stands between rows is somebody else's.
std::vector<Overwritten> Rows(const Matrix& c, int64_t M, int64_t N) {
  if (c.stride == N) return Blindly({Written(c.values, M * N)}, {});
  std::vector<Overwritten> rows;
  for (int64_t i = 0; N > 0 && i < M; ++i) rows.push_back(Written(c.values + i * c.stride, N));
  return rows;
}

}  // namespace

void QueuedOps::Copy(void* out, const void* in, int64_t bytes) {
  Enqueue([=](Ops& ops) { ops.Copy(out, in, bytes); }, Blindly({{out, bytes}}, {{in, bytes}}));
}
void QueuedOps::Fill(float* out, float value, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.Fill(out, value, numel); }, Blindly({Written(out, numel)}, {}));
}

void QueuedOps::CastToFloat(float* out, const Bf16* in, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.CastToFloat(out, in, numel); }, Blindly({Written(out, numel)}, {In(in, numel)}));
}
void QueuedOps::CastToBf16(Bf16* out, const float* in, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.CastToBf16(out, in, numel); }, Blindly({Written(out, numel)}, {In(in, numel)}));
}
void QueuedOps::RoundToBf16(float* inout, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.RoundToBf16(inout, numel); });
}
void QueuedOps::Add(float* inout, const float* in, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.Add(inout, in, numel); });
}
void QueuedOps::Divide(float* inout, float divisor, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.Divide(inout, divisor, numel); });
}
void QueuedOps::Scale(float* inout, float factor, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.Scale(inout, factor, numel); });
}
void QueuedOps::Max(float* inout, const float* in, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.Max(inout, in, numel); });
}

void QueuedOps::FoldLeaves(float* out, const Fold& fold, std::span<const float* const> leaves, float divisor,
                           int64_t numel) {
  std::vector<Read> reads;
  for (const float* leaf : leaves) reads.push_back(In(leaf, numel));
  Enqueue([=, leaves = std::vector(leaves.begin(), leaves.end())](
              Ops& ops) { ops.FoldLeaves(out, fold, leaves, divisor, numel); },
          Blindly({Written(out, numel)}, reads));
}
void QueuedOps::AddSquares(SumOfSquares* accumulator, const float* in, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.AddSquares(accumulator, in, numel); });
}
void QueuedOps::AddMagnitudes(SumOfMagnitudes* accumulator, const float* in, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.AddMagnitudes(accumulator, in, numel); });
}

void QueuedOps::Sgd(const SgdScalars& s, float* master, float* momentum, const float* gradient, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.Sgd(s, master, momentum, gradient, numel); });
}
void QueuedOps::AdamW(const AdamWScalars& s, float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
                      int64_t numel) {
  Enqueue([=](Ops& ops) { ops.AdamW(s, master, exp_avg, exp_avg_sq, gradient, numel); });
}
void QueuedOps::Adam(const OptimizerFormula& f, const AdamScalars& s, float* master, float* exp_avg, float* exp_avg_sq,
                     const float* gradient, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.Adam(f, s, master, exp_avg, exp_avg_sq, gradient, numel); });
}
void QueuedOps::LambMoments(const OptimizerFormula& f, const AdamScalars& s, SumOfSquares* weights,
                            SumOfSquares* updates, const float* master, float* exp_avg, float* exp_avg_sq,
                            const float* gradient, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.LambMoments(f, s, weights, updates, master, exp_avg, exp_avg_sq, gradient, numel); });
}
void QueuedOps::LambApply(const OptimizerFormula& f, const AdamScalars& s, float step, float* master,
                          const float* exp_avg, const float* exp_avg_sq, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.LambApply(f, s, step, master, exp_avg, exp_avg_sq, numel); });
}
void QueuedOps::MomentumSgd(const OptimizerFormula& f, const MomentumScalars& s, float* master, float* momentum,
                            const float* gradient, int64_t numel) {
  const bool begins = s.first && s.momentum != 0.0f;
  Enqueue([=](Ops& ops) { ops.MomentumSgd(f, s, master, momentum, gradient, numel); },
          Blindly({Written(momentum, begins ? numel : 0)}, {In(master, numel), In(gradient, numel)}));
}

void QueuedOps::GemmNN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) {
  Enqueue([=](Ops& ops) { ops.GemmNN(c, a, b, M, N, K, operands); }, Rows(c, M, N));
}
void QueuedOps::GemmNT(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) {
  Enqueue([=](Ops& ops) { ops.GemmNT(c, a, b, M, N, K, operands); }, Rows(c, M, N));
}
void QueuedOps::GemmTN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) {
  Enqueue([=](Ops& ops) { ops.GemmTN(c, a, b, M, N, K, operands); }, Rows(c, M, N));
}

void QueuedOps::AddBias(float* inout, const float* bias, int64_t B, int64_t C) {
  Enqueue([=](Ops& ops) { ops.AddBias(inout, bias, B, C); });
}
void QueuedOps::BiasGradient(float* out, const float* upstream, int64_t B, int64_t C) {
  Enqueue([=](Ops& ops) { ops.BiasGradient(out, upstream, B, C); }, Blindly({Written(out, C)}, {In(upstream, B * C)}));
}
void QueuedOps::Gelu(float* out, float* tanh, const float* in, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.Gelu(out, tanh, in, numel); },
          Blindly({Written(out, numel), Written(tanh, numel)}, {In(in, numel)}));
}
void QueuedOps::GeluGradient(float* out, const float* in, const float* tanh, const float* upstream, int64_t numel) {
  Enqueue([=](Ops& ops) { ops.GeluGradient(out, in, tanh, upstream, numel); },
          Blindly({Written(out, numel)}, {In(in, numel), In(tanh, numel), In(upstream, numel)}));
}

void QueuedOps::Embed(float* out, const float* table, VocabRange own, const int32_t* tokens, int64_t B, int64_t T,
                      int64_t C) {
  // Which rows of the table are read, only the tokens know, and they may not be there yet; out is none of them.
  Enqueue([=](Ops& ops) { ops.Embed(out, table, own, tokens, B, T, C); },
          Blindly({Written(out, B * T * C)}, {In(tokens, B * T)}));
}
void QueuedOps::EmbedGradient(float* table_gradient, VocabRange own, const float* upstream, const int32_t* tokens,
                              int64_t B, int64_t T, int64_t C) {
  Enqueue([=](Ops& ops) { ops.EmbedGradient(table_gradient, own, upstream, tokens, B, T, C); },
          Blindly({Written(table_gradient, own.numel() * C)}, {In(upstream, B * T * C), In(tokens, B * T)}));
}

void QueuedOps::LayerNorm(float* out, float* mean, float* rstd, const float* in, const float* weight, const float* bias,
                          float eps, int64_t R, int64_t C) {
  Enqueue(
      [=](Ops& ops) { ops.LayerNorm(out, mean, rstd, in, weight, bias, eps, R, C); },
      Blindly({Written(out, R * C), Written(mean, R), Written(rstd, R)}, {In(in, R * C), In(weight, C), In(bias, C)}));
}
void QueuedOps::LayerNormGradient(float* downstream, float* weight_gradient, float* bias_gradient,
                                  const float* upstream, const float* in, const float* mean, const float* rstd,
                                  const float* weight, int64_t R, int64_t C) {
  Enqueue(
      [=](Ops& ops) {
        ops.LayerNormGradient(downstream, weight_gradient, bias_gradient, upstream, in, mean, rstd, weight, R, C);
      },
      Blindly({Written(downstream, R * C), Written(weight_gradient, C), Written(bias_gradient, C)},
              {In(upstream, R * C), In(in, R * C), In(mean, R), In(rstd, R), In(weight, C)}));
}

void QueuedOps::CausalAttention(float* out, float* probabilities, float* qkv, bool round_operands,
                                const AttentionSizes& sizes) {
  Enqueue([=](Ops& ops) { ops.CausalAttention(out, probabilities, qkv, round_operands, sizes); },
          Blindly({Written(out, sizes.out_numel()), Written(probabilities, sizes.squares_numel())},
                  {In(qkv, sizes.qkv_numel())}));
}
void QueuedOps::CausalAttentionGradient(float* qkv_gradient, float* upstream, const float* qkv,
                                        const float* probabilities, bool round_operands, const AttentionSizes& sizes) {
  Enqueue(
      [=](Ops& ops) { ops.CausalAttentionGradient(qkv_gradient, upstream, qkv, probabilities, round_operands, sizes); },
      Blindly({Written(qkv_gradient, sizes.qkv_numel())},
              {In(upstream, sizes.out_numel()), In(qkv, sizes.qkv_numel()), In(probabilities, sizes.squares_numel())}));
}

void QueuedOps::SoftmaxCrossEntropy(float* loss, float* upstream, const float* logits, const int32_t* targets,
                                    int64_t B, int64_t V) {
  Enqueue([=](Ops& ops) { ops.SoftmaxCrossEntropy(loss, upstream, logits, targets, B, V); },
          Blindly({Written(loss, B), Written(upstream, B * V)}, {In(logits, B * V), In(targets, B)}));
}
void QueuedOps::LargestLogits(float* largest, float* target_logit, const float* logits, VocabRange own,
                              const int32_t* targets, int64_t B) {
  Enqueue([=](Ops& ops) { ops.LargestLogits(largest, target_logit, logits, own, targets, B); },
          Blindly({Written(largest, B), Written(target_logit, B)}, {In(logits, B * own.numel()), In(targets, B)}));
}
void QueuedOps::SoftmaxNumerators(Matrix numerators, float* sum, ConstMatrix logits, const float* largest, int64_t B,
                                  int64_t columns) {
  // Numerators may take the place of the logits, row by row.
  Enqueue([=](Ops& ops) { ops.SoftmaxNumerators(numerators, sum, logits, largest, B, columns); },
          Blindly({Written(sum, B)}, {In(largest, B)}));
}
void QueuedOps::CrossEntropyOfSums(float* loss, float* upstream, const float* largest, const float* sum,
                                   const float* target_logit, VocabRange own, const int32_t* targets, int64_t B) {
  Enqueue([=](Ops& ops) { ops.CrossEntropyOfSums(loss, upstream, largest, sum, target_logit, own, targets, B); },
          Blindly({Written(loss, B)}, {In(largest, B), In(sum, B), In(target_logit, B), In(targets, B)}));
}

}  // namespace zerocts::engine
