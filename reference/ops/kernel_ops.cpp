#include "reference/ops/kernel_ops.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "reference/numerics/elementary.hpp"
#include "reference/ops/attention.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/gemm.hpp"
#include "reference/ops/squares.hpp"

namespace zerocts {
namespace {

constexpr int64_t kFoldBlock = 1024;  // elements; a fold works block by block, so partial sums stay in the first cache
constexpr int64_t kShare = 1 << 12;   // elements; with fewer a second thread costs more than it brings

constexpr int64_t kSoftmaxRows = 16;  // of logits at once: they stay in the caches until their sums are known

constexpr int64_t kPastCaches = 1 << 20;  // elements; more than that are not in a core's caches

/// The leaves of a sum of nothing but leaves in fp32, from left to right, or the only leaf; of another fold none.
std::vector<const float*> LeavesOfPlainSum(const Fold& fold, std::span<const float* const> leaves) {
  std::vector<const float*> in_order;
  if (fold.leaf >= 0) return {leaves[fold.leaf]};
  if (fold.rounding != Rounding::kFp32 || fold.division.by != 1) return {};
  for (const Fold& child : fold.children) {
    if (child.leaf < 0) return {};
    in_order.push_back(leaves[child.leaf]);
  }
  return in_order;
}

AttentionRows RowsOf(const AttentionSizes& sizes, bool round_operands) {
  return {sizes.T, sizes.D(), sizes.row(), sizes.C, round_operands};
}

/// Where the matrices of a head begin, by its number over all samples.
struct OffsetsOfHead {
  OffsetsOfHead(const AttentionSizes& s, int64_t i) : square(i * s.T * s.T) {
    const int64_t first_row = i / s.heads * s.T, head = i % s.heads, kv_head = head / s.group();
    out = first_row * s.C + head * s.D();
    q = first_row * s.row() + head * s.D();
    k = first_row * s.row() + s.C + kv_head * s.D();
    v = k + s.kv_width();
  }
  int64_t square, out, q, k, v;
};

/// Stateless apart from scratch of the calling thread and the pool, which one caller has at a time, so ranks that are
/// threads share one object.
class KernelOps final : public Ops {
 public:
  KernelOps(const KernelTable& kernels, int threads) : kernels_(kernels), threads_(threads) {}

  void Copy(void* out, const void* in, int64_t bytes) override {
    if (bytes > 0) std::memmove(out, in, bytes);
  }
  void Fill(float* out, float value, int64_t numel) override { std::fill_n(out, numel, value); }

  void CastToFloat(float* out, const Bf16* in, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) { kernels_.cast_to_float(out + begin, in + begin, count); });
  }
  void CastToBf16(Bf16* out, const float* in, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) { kernels_.cast_to_bf16(out + begin, in + begin, count); });
  }
  void RoundToBf16(float* inout, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) { kernels_.round_to_bf16(inout + begin, count); });
  }
  void Add(float* inout, const float* in, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) { kernels_.add(inout + begin, in + begin, count); });
  }
  void Divide(float* inout, float divisor, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) { kernels_.divide(inout + begin, divisor, count); });
  }
  void Scale(float* inout, float factor, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) { kernels_.scale(inout + begin, factor, count); });
  }
  void Max(float* inout, const float* in, int64_t numel) override {
    for (int64_t i = 0; i < numel; ++i) inout[i] = formulas::Max(inout[i], in[i]);
  }

  void FoldLeaves(float* out, const Fold& fold, std::span<const float* const> leaves, float divisor,
                  int64_t numel) override {
    if (const std::vector<const float*> in_order = LeavesOfPlainSum(fold, leaves); !in_order.empty()) {
      const auto leaf_count = static_cast<int>(in_order.size());
      const bool in_place = std::find(in_order.begin(), in_order.end(), out) != in_order.end();  // so it is read anyway
      const bool past_caches = !in_place && numel * (leaf_count + 1) >= kPastCaches;
      Share(numel, [&](int64_t begin, int64_t count) {
        kernels_.add_leaves(out, in_order.data(), leaf_count, divisor, past_caches, begin, begin + count);
      });
      return;
    }
    Share(numel, [&](int64_t begin, int64_t count) {
      for (const int64_t end = begin + count; begin < end; begin += kFoldBlock) {
        FoldOneBlock(out, fold, leaves, divisor, begin, std::min(kFoldBlock, end - begin));
      }
    });
  }

  void AddSquares(SumOfSquares* accumulator, const float* in, int64_t numel) override {
    std::mutex mutex;
    Share(numel, [&](int64_t begin, int64_t count) {
      SumOfSquares part;
      zerocts::AddSquares(kernels_, &part, in + begin, count);
      const std::lock_guard<std::mutex> lock(mutex);
      accumulator->Merge(part);
    });
  }
  void AddMagnitudes(SumOfMagnitudes* accumulator, const float* in, int64_t numel) override {
    accumulator->Add(in, numel);
  }

  void Sgd(const SgdScalars& s, float* master, float* momentum, const float* gradient, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) {
      kernels_.sgd(s, master + begin, momentum + begin, gradient + begin, count);
    });
  }
  void AdamW(const AdamWScalars& s, float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
             int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) {
      kernels_.adamw(s, master + begin, exp_avg + begin, exp_avg_sq + begin, gradient + begin, count);
    });
  }
  void Adam(const OptimizerFormula& f, const AdamScalars& s, float* master, float* exp_avg, float* exp_avg_sq,
            const float* gradient, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) {
      kernels_.adam(f, s, master + begin, exp_avg + begin, exp_avg_sq + begin, gradient + begin, count);
    });
  }
  void LambMoments(const OptimizerFormula& f, const AdamScalars& s, SumOfSquares* weights, SumOfSquares* updates,
                   const float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
                   int64_t numel) override {
    constexpr int64_t kBlock = 4096;  // elements whose updates stay in the first cache until they are squared
    float block[kBlock];
    for (int64_t begin = 0; begin < numel; begin += kBlock) {
      const int64_t count = std::min(kBlock, numel - begin);
      kernels_.lamb_moments(f, s, block, master + begin, exp_avg + begin, exp_avg_sq + begin, gradient + begin, count);
      updates->Add(block, count);
    }
    weights->Add(master, numel);
  }
  void LambApply(const OptimizerFormula& f, const AdamScalars& s, float step, float* master, const float* exp_avg,
                 const float* exp_avg_sq, int64_t numel) override {
    kernels_.lamb_apply(f, s, step, master, exp_avg, exp_avg_sq, numel);
  }
  void MomentumSgd(const OptimizerFormula& f, const MomentumScalars& s, float* master, float* momentum,
                   const float* gradient, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) {
      kernels_.momentum_sgd(f, s, master + begin, momentum + begin, gradient + begin, count);
    });
  }

  void GemmNN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override {
    Gemm(kernels_, threads_, c, {a.values, a.stride, 1}, {b.values, b.stride, 1}, M, N, K, operands);
  }
  void GemmNT(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override {
    Gemm(kernels_, threads_, c, {a.values, a.stride, 1}, {b.values, 1, b.stride}, M, N, K, operands);
  }
  void GemmTN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K, Operands operands) override {
    Gemm(kernels_, threads_, c, {a.values, 1, a.stride}, {b.values, b.stride, 1}, M, N, K, operands);
  }

  void AddBias(float* inout, const float* bias, int64_t B, int64_t C) override {
    ShareRows(B, C, [&](int64_t b) { kernels_.add(inout + b * C, bias, C); });
  }
  void BiasGradient(float* out, const float* upstream, int64_t B, int64_t C) override {
    ShareColumns(
        B, C, [&](int64_t c, int64_t columns) { kernels_.layers.column_sums(out + c, upstream + c, C, B, columns); });
  }
  void Gelu(float* out, float* tanh, const float* in, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) { kernels_.gelu(out + begin, tanh + begin, in + begin, count); });
  }
  void GeluGradient(float* out, const float* in, const float* tanh, const float* upstream, int64_t numel) override {
    Share(numel, [&](int64_t begin, int64_t count) {
      kernels_.gelu_gradient(out + begin, in + begin, tanh + begin, upstream + begin, count);
    });
  }

  void Embed(float* out, const float* table, VocabRange own, const int32_t* tokens, int64_t B, int64_t T,
             int64_t C) override {
    ShareRows(B * T, C, [&](int64_t i) {
      if (own.Has(tokens[i])) {
        std::copy_n(table + (tokens[i] - own.begin) * C, C, out + i * C);
      } else {
        std::fill_n(out + i * C, C, -0.0f);
      }
    });
  }
  void EmbedGradient(float* table_gradient, VocabRange own, const float* upstream, const int32_t* tokens, int64_t B,
                     int64_t T, int64_t C) override {
    Fill(table_gradient, 0.0f, own.numel() * C);
    for (int64_t i = 0; i < B * T; ++i) {
      if (own.Has(tokens[i])) kernels_.add(table_gradient + (tokens[i] - own.begin) * C, upstream + i * C, C);
    }
  }

  void LayerNorm(float* out, float* mean, float* rstd, const float* in, const float* weight, const float* bias,
                 float eps, int64_t R, int64_t C) override {
    ShareRowParts(R, C, [&](int64_t r, int64_t rows) {
      kernels_.layers.layer_norm(out + r * C, mean + r, rstd + r, in + r * C, weight, bias, eps, rows, C);
    });
  }
  void LayerNormGradient(float* downstream, float* weight_gradient, float* bias_gradient, const float* upstream,
                         const float* in, const float* mean, const float* rstd, const float* weight, int64_t R,
                         int64_t C) override {
    ShareColumns(R, C, [&](int64_t c, int64_t columns) {
      kernels_.layers.layer_norm_parameters(weight_gradient + c, bias_gradient + c, upstream + c, in + c, mean, rstd, C,
                                            R, columns);
    });
    ShareRowParts(R, C, [&](int64_t r, int64_t rows) {
      kernels_.layers.layer_norm_downstream(downstream + r * C, upstream + r * C, in + r * C, mean + r, rstd + r,
                                            weight, rows, C);
    });
  }

  void CausalAttention(float* out, float* probabilities, float* qkv, bool round_operands,
                       const AttentionSizes& sizes) override {
    if (round_operands) RoundToBf16(qkv, sizes.qkv_numel());
    const AttentionRows rows = RowsOf(sizes, round_operands);
    ShareRows(sizes.B * sizes.heads, sizes.T * sizes.T, [&](int64_t i) {
      const OffsetsOfHead at(sizes, i);
      AttendHead(kernels_, rows, out + at.out, probabilities + at.square, qkv + at.q, {qkv + at.k, qkv + at.v});
    });
  }
  void CausalAttentionGradient(float* qkv_gradient, float* upstream, const float* qkv, const float* probabilities,
                               bool round_operands, const AttentionSizes& sizes) override {
    if (round_operands) RoundToBf16(upstream, sizes.out_numel());
    const AttentionRows rows = RowsOf(sizes, round_operands);
    ShareRows(sizes.B * sizes.kv_heads, sizes.group() * sizes.T * sizes.T, [&](int64_t i) {
      const OffsetsOfHead at(sizes, i * sizes.group());
      AttendGroupGradient(kernels_, rows, sizes.group(),
                          {qkv_gradient + at.q, qkv_gradient + at.k, qkv_gradient + at.v}, upstream + at.out,
                          qkv + at.q, {qkv + at.k, qkv + at.v}, probabilities + at.square);
    });
  }

  void SoftmaxCrossEntropy(float* loss, float* upstream, const float* logits, const int32_t* targets, int64_t B,
                           int64_t V) override {
    const auto batch = static_cast<float>(B);
    ShareRowParts(B, V, [&](int64_t b, int64_t rows) {
      for (const int64_t end = b + rows; b < end; b += kSoftmaxRows) {
        SoftmaxRows(loss + b, upstream + b * V, logits + b * V, targets + b, batch, std::min(kSoftmaxRows, end - b), V);
      }
    });
  }
  void LargestLogits(float* largest, float* target_logit, const float* logits, VocabRange own, const int32_t* targets,
                     int64_t B) override {
    const int64_t C = own.numel();
    ShareRowParts(B, C, [&](int64_t first, int64_t rows) {
      kernels_.layers.row_largest(largest + first, logits + first * C, C, rows, C);
      for (int64_t b = first; b < first + rows; ++b) {
        target_logit[b] = own.Has(targets[b]) ? logits[b * C + targets[b] - own.begin] : -0.0f;
      }
    });
  }
  void SoftmaxNumerators(Matrix numerators, float* sum, ConstMatrix logits, const float* largest, int64_t B,
                         int64_t columns) override {
    ShareRowParts(B, columns, [&](int64_t b, int64_t rows) {
      kernels_.layers.numerators_of_largest(numerators.values + b * numerators.stride, sum + b,
                                            logits.values + b * logits.stride, largest + b, numerators.stride,
                                            logits.stride, rows, columns);
    });
  }
  void CrossEntropyOfSums(float* loss, float* upstream, const float* largest, const float* sum,
                          const float* target_logit, VocabRange own, const int32_t* targets, int64_t B) override {
    const auto batch = static_cast<float>(B);
    ShareRowParts(B, own.numel(), [&](int64_t first, int64_t rows) {
      for (int64_t b = first; b < first + rows; ++b) {
        loss[b] =
            CrossEntropyRow(upstream + b * own.numel(), own, largest[b], sum[b], target_logit[b], targets[b], batch);
      }
    });
  }

 private:
  /// body(begin, count) on parts of [0, numel), by as many threads as that pays for.
  template <typename Body>
  void Share(int64_t numel, const Body& body) {
    ForEachPart(threads_, numel, kShare, body);
  }
  template <typename Body>
  void ShareRows(int64_t rows, int64_t row_numel, const Body& body) {
    ShareRowParts(rows, row_numel, [&](int64_t begin, int64_t count) {
      for (int64_t row = begin; row < begin + count; ++row) body(row);
    });
  }
  template <typename Body>
  void ShareRowParts(int64_t rows, int64_t row_numel, const Body& body) {
    ForEachPart(threads_, rows, kShare / std::max<int64_t>(row_numel, 1) + 1, body);
  }
  /// body(first column, columns): whole cache lines, so that a line of the results is written by one thread.
  template <typename Body>
  void ShareColumns(int64_t rows, int64_t columns, const Body& body) {
    constexpr int64_t kLine = 16;
    const int64_t lines = (columns + kLine - 1) / kLine;
    ShareRowParts(lines, rows * kLine, [&](int64_t begin, int64_t count) {
      body(begin * kLine, std::min(count * kLine, columns - begin * kLine));
    });
  }

  void FoldOneBlock(float* out, const Fold& fold, std::span<const float* const> leaves, float divisor, int64_t begin,
                    int64_t count) {
    float block[kFoldBlock];  // not `out`, which may be a leaf that is still needed
    FoldBlock(block, fold, leaves, begin, count);
    if (divisor != 1.0f) kernels_.divide(block, divisor, count);
    std::copy_n(block, count, out + begin);
  }

  void FoldBlock(float* block, const Fold& fold, std::span<const float* const> leaves, int64_t begin, int64_t count) {
    if (fold.leaf >= 0) {
      std::copy_n(leaves[fold.leaf] + begin, count, block);
      return;
    }
    const auto round = [&] {
      if (fold.rounding == Rounding::kBf16) kernels_.round_to_bf16(block, count);
    };
    const bool fused = fold.division.is_fused();
    FoldBlock(block, fold.children.front(), leaves, begin, count);
    if (fused) DivideBlock(block, fold.division, count);
    round();
    for (size_t i = 1; i < fold.children.size(); ++i) {
      if (fused) {
        AddProducts(block, fold.children[i], fold.division.reciprocal(), leaves, begin, count);
      } else {
        AddFold(block, fold.children[i], leaves, begin, count);
      }
      round();
    }
    if (!fold.division.divides() || fused) return;
    DivideBlock(block, fold.division, count);
    round();
  }

  void DivideBlock(float* block, const Division& division, int64_t count) {
    if (division.how == Divide::kQuotient) {
      kernels_.divide(block, static_cast<float>(division.by), count);
    } else {
      kernels_.scale(block, division.reciprocal(), count);
    }
  }

  /// block += child * factor, each in one rounding.
  void AddProducts(float* block, const Fold& child, float factor, std::span<const float* const> leaves, int64_t begin,
                   int64_t count) {
    float addend[kFoldBlock];
    FoldBlock(addend, child, leaves, begin, count);
    for (int64_t i = 0; i < count; ++i) block[i] = formulas::Fma(addend[i], factor, block[i]);
  }

  void AddFold(float* block, const Fold& child, std::span<const float* const> leaves, int64_t begin, int64_t count) {
    if (child.leaf >= 0) {
      kernels_.add(block, leaves[child.leaf] + begin, count);
      return;
    }
    float addend[kFoldBlock];
    FoldBlock(addend, child, leaves, begin, count);
    kernels_.add(block, addend, count);
  }

  /// Takes kSoftmaxRows rows or fewer; `upstream` may be `logits`. It holds the numerators until their sums are known.
  void SoftmaxRows(float* loss, float* upstream, const float* logits, const int32_t* targets, float batch, int64_t rows,
                   int64_t V) {
    float largest[kSoftmaxRows], sum[kSoftmaxRows], target_logit[kSoftmaxRows];
    for (int64_t b = 0; b < rows; ++b) target_logit[b] = logits[b * V + targets[b]];
    kernels_.layers.softmax_numerators(upstream, largest, sum, logits, 1.0f, V, rows, V);
    for (int64_t b = 0; b < rows; ++b) {
      loss[b] = CrossEntropyRow(upstream + b * V, {0, V}, largest[b], sum[b], target_logit[b], targets[b], batch);
    }
  }

  /// Makes the row's gradient from its numerators, and returns its loss.
  float CrossEntropyRow(float* row, VocabRange own, float largest, float sum, float target_logit, int32_t target,
                        float batch) {
    float* const target_numerator = own.Has(target) ? row + (target - own.begin) : nullptr;
    const float target_gradient =
        target_numerator ? formulas::SoftmaxGradient(*target_numerator, sum, 1.0f, batch) : 0.0f;
    kernels_.softmax_gradients(row, sum, batch, own.numel());
    if (target_numerator) *target_numerator = target_gradient;
    return formulas::CrossEntropy(largest, sum, target_logit);
  }

  const KernelTable& kernels_;
  Threads threads_;
};

}  // namespace

std::unique_ptr<Ops> MakeKernelOps(const KernelTable& kernels, int threads) {
  return std::make_unique<KernelOps>(kernels, threads);
}

}  // namespace zerocts
