// The table of tensor operations: what reference and engine compute with. A backend is one implementation of this
// interface.
//
// Pointers are memory of the backend's device; an operation is enqueued on the stream that the Ops object belongs to
// and has happened when that stream is synchronised (host: at once). Every operation has one result, bit for bit, on
// every backend. Legend: M, N, K matrix sizes; B = batch, C = channels; row-major, densely packed unless a stride is
// given.
#pragma once
#include <cstdint>
#include <span>

#include "reference/numerics/bf16.hpp"
#include "reference/numerics/exact_sum.hpp"
#include "reference/numerics/inline.hpp"
#include "reference/numerics/magnitudes.hpp"
#include "reference/numerics/reduction_order.hpp"
#include "reference/ops/optimizer_formula.hpp"

namespace zerocts {

/// Scalars of one AdamW step of one parameter group, all fp32. bias_correction_i = 1 - product of the beta_i of all
/// applied steps.
struct AdamWScalars {
  float lr, beta1, beta2, eps, weight_decay;
  float bias_correction1, bias_correction2;
  float clip;  // multiplies the gradient first; 1 leaves it untouched
};

struct SgdScalars {
  float lr, momentum, weight_decay;
  float clip;
};

/// Element (i, j) stands at values[i * stride + j].
struct ConstMatrix {
  const float* values;
  int64_t stride;
};
struct Matrix {
  float* values;
  int64_t stride;
};

/// Tokens [begin, end): the rows that a process has of an embedding, or the logits that it has of each row. All V of
/// them, but under vocabulary parallelism.
struct VocabRange {
  int64_t begin = 0, end = 0;
  ZEROCTS_INLINE int64_t numel() const { return end - begin; }
  ZEROCTS_INLINE bool Has(int32_t token) const { return token >= begin && token < end; }
};

/// What attention is over: B samples of T tokens; `heads` heads of D channels ask, C channels in all, and each of
/// `kv_heads` heads of keys and values answers a group of them that follow each other. kv_heads divides heads, which
/// divides C. As many as heads: multi-head attention; fewer: grouped-query attention.
struct AttentionSizes {
  int64_t B, T, heads, C;
  int64_t kv_heads = heads;

  ZEROCTS_INLINE int64_t D() const { return C / heads; }
  ZEROCTS_INLINE int64_t group() const { return heads / kv_heads; }   // heads that ask one of kv_heads
  ZEROCTS_INLINE int64_t kv_width() const { return kv_heads * D(); }  // channels of k, and of v
  ZEROCTS_INLINE int64_t row() const { return C + 2 * kv_width(); }   // of qkv: q | k | v
  ZEROCTS_INLINE int64_t qkv_numel() const { return B * T * row(); }
  ZEROCTS_INLINE int64_t out_numel() const { return B * T * C; }
  ZEROCTS_INLINE int64_t squares_numel() const { return B * heads * T * T; }  // of probabilities
};

/// kBf16 promises that every element of a and b is representable in bf16: the same bits, sooner where the CPU
/// multiplies bf16 pairs.
enum class Operands { kFp32, kBf16 };

class Ops {
 public:
  virtual ~Ops() = default;

  // --- memory
  virtual void Copy(void* out, const void* in, int64_t bytes) = 0;
  virtual void Fill(float* out, float value, int64_t numel) = 0;

  // --- casts and accumulation
  virtual void CastToFloat(float* out, const Bf16* in, int64_t numel) = 0;
  virtual void CastToBf16(Bf16* out, const float* in, int64_t numel) = 0;
  virtual void RoundToBf16(float* inout, int64_t numel) = 0;           // each value to the nearest bf16, kept as fp32
  virtual void Add(float* inout, const float* in, int64_t numel) = 0;  // inout += in
  virtual void Divide(float* inout, float divisor, int64_t numel) = 0;
  virtual void Scale(float* inout, float factor, int64_t numel) = 0;
  virtual void Max(float* inout, const float* in, int64_t numel) = 0;  // the larger one; NaN in `in` is skipped

  // --- reductions
  /// out[i] = fold over leaves[g][i], then divided once by `divisor` (1 leaves it as it is). out may be one of the
  /// leaves.
  virtual void FoldLeaves(float* out, const Fold& fold, std::span<const float* const> leaves, float divisor,
                          int64_t numel) = 0;
  /// Adds the squares of `in` to `accumulator`.
  virtual void AddSquares(SumOfSquares* accumulator, const float* in, int64_t numel) = 0;
  virtual void AddMagnitudes(SumOfMagnitudes* accumulator, const float* in, int64_t numel) = 0;

  // --- optimizer, elementwise and in place; every written operation is rounded once, fma where written
  ///   g = clip * gradient;  d = fma(weight_decay, p, g);  u = fma(momentum, u, d);  p = fma(-lr, u, p)
  virtual void Sgd(const SgdScalars& s, float* master, float* momentum, const float* gradient, int64_t numel) = 0;
  ///   g = clip * gradient;  m = fma(beta1, m, (1 - beta1) * g);  v = fma(beta2, v, ((1 - beta2) * g) * g)
  ///   u = (m / bias_correction1) / (sqrt(v / bias_correction2) + eps);  p = fma(-lr, fma(weight_decay, p, u), p)
  virtual void AdamW(const AdamWScalars& s, float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
                     int64_t numel) = 0;

  // --- optimizer in any formula (ops/optimizer_formula.hpp; exact sequences in ops/optimizer_formulas.hpp)
  virtual void Adam(const OptimizerFormula& f, const AdamScalars& s, float* master, float* exp_avg, float* exp_avg_sq,
                    const float* gradient, int64_t numel) = 0;
  /// LAMB in two passes, so that nothing of a tensor's size is kept between them: first the moments, while the squares
  /// of weights and updates are added to the accumulators; then  u = fma(weight_decay, p, (m / c1) / (sqrt(v / c2) +
  /// eps));  p = fma(-step, u, p)
  virtual void LambMoments(const OptimizerFormula& f, const AdamScalars& s, SumOfSquares* weights,
                           SumOfSquares* updates, const float* master, float* exp_avg, float* exp_avg_sq,
                           const float* gradient, int64_t numel) = 0;
  virtual void LambApply(const OptimizerFormula& f, const AdamScalars& s, float step, float* master,
                         const float* exp_avg, const float* exp_avg_sq, int64_t numel) = 0;
  virtual void MomentumSgd(const OptimizerFormula& f, const MomentumScalars& s, float* master, float* momentum,
                           const float* gradient, int64_t numel) = 0;

  // --- linear algebra: each output is one fma chain in k order, starting from +0; c overlaps neither a nor b
  virtual void GemmNN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K,
                      Operands operands) = 0;  // c[M,N] = a[M,K] b[K,N]
  virtual void GemmNT(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K,
                      Operands operands) = 0;  // c[M,N] = a[M,K] b[N,K]^T
  virtual void GemmTN(Matrix c, ConstMatrix a, ConstMatrix b, int64_t M, int64_t N, int64_t K,
                      Operands operands) = 0;  // c[M,N] = a[K,M]^T b[K,N]

  // The same on dense matrices.
  void GemmNN(float* c, const float* a, const float* b, int64_t M, int64_t N, int64_t K,
              Operands operands = Operands::kFp32) {
    GemmNN({c, N}, {a, K}, {b, N}, M, N, K, operands);
  }
  void GemmNT(float* c, const float* a, const float* b, int64_t M, int64_t N, int64_t K,
              Operands operands = Operands::kFp32) {
    GemmNT({c, N}, {a, K}, {b, K}, M, N, K, operands);
  }
  void GemmTN(float* c, const float* a, const float* b, int64_t M, int64_t N, int64_t K,
              Operands operands = Operands::kFp32) {
    GemmTN({c, N}, {a, M}, {b, N}, M, N, K, operands);
  }

  // --- layers
  virtual void AddBias(float* inout, const float* bias, int64_t B, int64_t C) = 0;  // inout[b,c] += bias[c]
  virtual void BiasGradient(float* out, const float* upstream, int64_t B,
                            int64_t C) = 0;  // out[c] = LaneTreeSum over b
  /// GELU in its tanh form: h = 0.5 x (1 + tanh(t)), t = sqrt(2/pi) * fma(0.044715 x x, x, x); the exact sequence
  /// stands in ops/formulas.hpp. tanh [numel] holds tanh(t), kept for the gradient. out may be in, and the gradient's
  /// out its upstream.
  virtual void Gelu(float* out, float* tanh, const float* in, int64_t numel) = 0;
  virtual void GeluGradient(float* out, const float* in, const float* tanh, const float* upstream, int64_t numel) = 0;
  /// out[b, t*C + c] = row of tokens[b*T + t] in the table [own, C], or -0 where `own` lacks it: added to the row of
  /// the rank that has it, that changes no bit.
  virtual void Embed(float* out, const float* table, VocabRange own, const int32_t* tokens, int64_t B, int64_t T,
                     int64_t C) = 0;
  /// table_gradient[own,C] is overwritten: for each row the contributions of its tokens in (b, t) order, added to +0.
  virtual void EmbedGradient(float* table_gradient, VocabRange own, const float* upstream, const int32_t* tokens,
                             int64_t B, int64_t T, int64_t C) = 0;
  /// LayerNorm of R rows of C channels; mean and rstd [R] are kept for the gradient; the exact sequence stands in
  /// ops/formulas.hpp.
  ///   mean = LaneTreeSum(x) / C;  variance = LaneTreeSum((x - mean)^2) / C;  rstd = 1 / sqrt(variance + eps)
  ///   out = fma((x - mean) * rstd, weight, bias)
  virtual void LayerNorm(float* out, float* mean, float* rstd, const float* in, const float* weight, const float* bias,
                         float eps, int64_t R, int64_t C) = 0;
  /// Overwrites downstream [R,C] (which may be `upstream`) and weight_gradient, bias_gradient [C], sums over rows by
  /// LaneTreeSum.
  virtual void LayerNormGradient(float* downstream, float* weight_gradient, float* bias_gradient, const float* upstream,
                                 const float* in, const float* mean, const float* rstd, const float* weight, int64_t R,
                                 int64_t C) = 0;
  /// Causal attention. qkv [B*T, C + 2*Ckv]: q | k | v side by side, q of heads x D, k and v of kv_heads x D. For each
  /// (b, head) and t, with k and v of head `head / (heads / kv_heads)`:
  ///   s[k] = scale * (fma chain over d of q[t,d] k[k,d]), k = 0..t, scale = 1/sqrt(D) rounded once
  ///   probabilities[b,head,t,:] = softmax(s) as in SoftmaxCrossEntropy, +0 beyond t
  ///   out[t,:] = fma chain over k = 0..t of p[k] v[k,:]. Positions beyond t take no part: not even NaN there reaches
  ///   t.
  /// For finite v, terms of k > t would change nothing but the sign of a sum that underflowed to -0.
  /// round_operands (bf16): qkv is rounded to bf16 in place, p where it meets v; probabilities stay as the softmax made
  /// them.
  virtual void CausalAttention(float* out, float* probabilities, float* qkv, bool round_operands,
                               const AttentionSizes& sizes) = 0;
  /// Overwrites qkv_gradient [B*T, C + 2*Ckv]. qkv and probabilities are what CausalAttention left. With dp[t,k] =
  /// chain over d of upstream[t,d] v[k,d]:
  ///   ds[t,k] = scale * (p[t,k] * (dp[t,k] - LaneTreeSum over k = 0..t of p * dp)), k = 0..t
  ///   dq[t,:] = chain over k = 0..t of ds[t,k] k[k,:];  dk[k,:] = chain over t = k..T-1 of ds[t,k] q[t,:]
  ///   dv[k,:] = chain over t = k..T-1 of p[t,k] upstream[t,:]
  /// dk and dv of a head of kv_heads are one chain each over its whole group: over the heads of the group in ascending
  /// order, within a head over t = k..T-1. The chain of a head goes on from the sum of those before it.
  /// round_operands: upstream is rounded in place, ds before its two products, p where it meets upstream (not in ds).
  virtual void CausalAttentionGradient(float* qkv_gradient, float* upstream, const float* qkv,
                                       const float* probabilities, bool round_operands,
                                       const AttentionSizes& sizes) = 0;
  /// loss[b] = log-sum-exp of logits[b,:] minus logits[b, target]; upstream[b,:] = (softmax - one_hot) / B. Row sums by
  /// LaneTreeSum.
  virtual void SoftmaxCrossEntropy(float* loss, float* upstream, const float* logits, const int32_t* targets, int64_t B,
                                   int64_t V) = 0;
  // The same in three parts, of rows whose logits are split: what stands between them, processes give each other.
  /// largest[b]: of logits[b,:], [B, own], NaN is skipped, -inf of none. target_logit[b]: the target's, or -0 where
  /// `own` lacks it.
  virtual void LargestLogits(float* largest, float* target_logit, const float* logits, VocabRange own,
                             const int32_t* targets, int64_t B) = 0;
  /// numerators[b,:] = Exp(logits[b,:] - largest[b]), which may take the place of the logits; sum[b] = LaneTreeSum of
  /// them. Of `columns` columns.
  virtual void SoftmaxNumerators(Matrix numerators, float* sum, ConstMatrix logits, const float* largest, int64_t B,
                                 int64_t columns) = 0;
  /// loss[b] = (largest + Log(sum)) - target_logit; upstream[b,:], [B, own], holds numerators and receives (numerator /
  /// sum - one_hot) / B.
  virtual void CrossEntropyOfSums(float* loss, float* upstream, const float* largest, const float* sum,
                                  const float* target_logit, VocabRange own, const int32_t* targets, int64_t B) = 0;
};

/// Host operations with the fastest kernels that this CPU can run; every choice gives the same bits.
Ops& HostOps();

}  // namespace zerocts
