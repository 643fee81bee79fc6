// Causal attention by teams of threads (team.hpp). The definition stands in reference/ops/ops.hpp.
// Legend: B = batch, T = tokens, C = channels of all heads, D = channels of one head.
#pragma once
#include "impl/device/softmax_rows.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts::engine::bodies {

/// Where matrices of heads stand, and their gradients. Heads are numbered over all samples, those of keys and values by
/// themselves; squares [T, T] of heads are dense.
struct Heads : AttentionSizes {
  bool round_operands;

  ZEROCTS_INLINE int64_t KvOf(int64_t head) const { return head / group(); }
  ZEROCTS_INLINE int64_t Q(int64_t head, int64_t t) const {
    return (head / heads * T + t) * row() + head % heads * D();
  }
  ZEROCTS_INLINE int64_t K(int64_t kv_head, int64_t t) const {
    return (kv_head / kv_heads * T + t) * row() + C + kv_head % kv_heads * D();
  }
  ZEROCTS_INLINE int64_t V(int64_t kv_head, int64_t t) const { return K(kv_head, t) + kv_width(); }
  ZEROCTS_INLINE int64_t Out(int64_t head, int64_t t) const { return (head / heads * T + t) * C + head % heads * D(); }
  ZEROCTS_INLINE int64_t Square(int64_t head, int64_t t) const { return (head * T + t) * T; }
  ZEROCTS_INLINE float Operand(float x) const { return round_operands ? RoundToBf16(x) : x; }
};

/// Scores p[0..t] become probabilities; +0 from there up to T.
template <typename Team>
ZEROCTS_INLINE void SoftmaxOfRow(const Team& team, TreeRoom<1>& room, float* p, int64_t t, int64_t T) {
  FindLargest(team, room, t + 1, [&](int64_t i) { return p[i]; });
  const float largest = room.total[0];
  SumNumerators(team, room, p, p, largest, t + 1);
  const float sum = room.total[0];
  team.Each([&](int thread) {
    LoadAhead(
        thread, T, [&](int64_t i) { return i <= t ? p[i] : 0.0f; },
        [&](int64_t i, float numerator) { p[i] = i <= t ? numerator / sum : 0.0f; });
  });
}

/// Gradients of probabilities, ds[0..t], become those of scores, rounded where operands are.
template <typename Team>
ZEROCTS_INLINE void GradientsOfRow(const Team& team, TreeRoom<1>& room, float* ds, const float* p, int64_t t,
                                   const Heads& h) {
  const float scale = formulas::AttentionScale(h.D());
  TreeSums(team, room, t + 1, [&](int64_t i, int) { return p[i] * ds[i]; });
  const float dot = room.total[0];
  struct Score {
    float p, ds;
  };
  team.Each([&](int thread) {
    LoadAhead(
        thread, t + 1,
        [&](int64_t i) {
          return Score{p[i], ds[i]};
        },
        [&](int64_t i, const Score& score) {
          ds[i] = h.Operand(formulas::ScoreGradient(score.p, score.ds, dot, scale));
        });
  });
}

/// Team head * T + t makes a row of probabilities and of the output. qkv is rounded already where operands are rounded.
struct CausalAttention {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float *out, *probabilities;
  const float* qkv;
  Heads h;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    const int64_t T = h.T, D = h.D(), row_stride = h.row(), head = n / T, t = n % T;
    const float *q = qkv + h.Q(head, t), *k = qkv + h.K(h.KvOf(head), 0), *v = qkv + h.V(h.KvOf(head), 0);
    const float scale = formulas::AttentionScale(D);
    float* p = probabilities + h.Square(head, t);
    team.Each([&](int thread) {
      for (int64_t i = thread; i <= t; i += kThreads) {
        float sum = 0.0f;
        for (int64_t d = 0; d < D; ++d) sum = formulas::Fma(q[d], k[i * row_stride + d], sum);
        p[i] = scale * sum;
      }
    });
    SoftmaxOfRow(team, room, p, t, T);
    float* y = out + h.Out(head, t);
    team.Each([&](int thread) {
      for (int64_t d = thread; d < D; d += kThreads) {
        float chain = 0.0f;
        for (int64_t i = 0; i <= t; ++i) chain = formulas::Fma(h.Operand(p[i]), v[i * row_stride + d], chain);
        y[d] = chain;
      }
    });
  }
};

/// Team head * T + t makes a row of the gradients of scores [heads, T, T], rounded already where operands are, and of
/// q.
struct AttentionRowGradients {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float *score_gradients, *qkv_gradient;
  const float *upstream, *qkv, *probabilities;
  Heads h;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    const int64_t T = h.T, D = h.D(), row_stride = h.row(), head = n / T, t = n % T;
    const float *k = qkv + h.K(h.KvOf(head), 0), *v = qkv + h.V(h.KvOf(head), 0), *u = upstream + h.Out(head, t);
    const float* p = probabilities + h.Square(head, t);
    float* ds = score_gradients + h.Square(head, t);
    team.Each([&](int thread) {
      for (int64_t i = thread; i <= t; i += kThreads) {
        float chain = 0.0f;
        for (int64_t d = 0; d < D; ++d) chain = formulas::Fma(u[d], v[i * row_stride + d], chain);
        ds[i] = chain;
      }
    });
    GradientsOfRow(team, room, ds, p, t, h);
    float* q_gradient = qkv_gradient + h.Q(head, t);
    team.Each([&](int thread) {
      for (int64_t d = thread; d < D; d += kThreads) {
        float chain = 0.0f;
        for (int64_t i = 0; i <= t; ++i) chain = formulas::Fma(ds[i], k[i * row_stride + d], chain);
        q_gradient[d] = chain;
      }
    });
  }
};

/// Whole squares of scores that somebody else multiplied: team head * T + t makes a row of probabilities of its
/// products.
struct SoftmaxOfScores {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float* probabilities;
  Heads h;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    const int64_t t = n % h.T;
    const float scale = formulas::AttentionScale(h.D());
    float* p = probabilities + n * h.T;
    team.Each([&](int thread) {
      for (int64_t i = thread; i <= t; i += kThreads) p[i] = scale * p[i];
    });
    SoftmaxOfRow(team, room, p, t, h.T);
  }
};

/// The same for gradients: those of probabilities become those of scores, +0 beyond t.
struct GradientsOfScores {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float* gradients;
  const float* probabilities;
  Heads h;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    const int64_t t = n % h.T;
    float* ds = gradients + n * h.T;
    GradientsOfRow(team, room, ds, probabilities + n * h.T, t, h);
    team.Each([&](int thread) {
      for (int64_t i = t + 1 + thread; i < h.T; i += kThreads) ds[i] = 0.0f;
    });
  }
};

/// Element n of [kv_heads, T, D]: the chains of the gradients of k and v over the heads of a group and t.
struct AttentionColumnGradients {
  float* qkv_gradient;
  const float *score_gradients, *upstream, *qkv, *probabilities;
  Heads h;

  ZEROCTS_INLINE void operator()(int64_t n) const {
    const int64_t T = h.T, D = h.D(), kv_head = n / (T * D), i = n / D % T, d = n % D;
    float k_chain = 0.0f, v_chain = 0.0f;
    for (int64_t head = kv_head * h.group(); head < (kv_head + 1) * h.group(); ++head) {
      for (int64_t t = i; t < T; ++t) {
        const int64_t square = h.Square(head, t) + i;
        k_chain = formulas::Fma(score_gradients[square], qkv[h.Q(head, t) + d], k_chain);
        v_chain = formulas::Fma(h.Operand(probabilities[square]), upstream[h.Out(head, t) + d], v_chain);
      }
    }
    qkv_gradient[h.K(kv_head, i) + d] = k_chain;
    qkv_gradient[h.V(kv_head, i) + d] = v_chain;
  }
};

}  // namespace zerocts::engine::bodies
