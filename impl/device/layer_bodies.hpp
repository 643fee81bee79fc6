// Normalisation, softmax and sums over a batch by teams of threads (team.hpp): sums are those of the lane tree, a lane
// a thread.
#pragma once
#include "impl/device/softmax_rows.hpp"

namespace zerocts::engine::bodies {

inline constexpr int kColumns = 8;  // summed side by side: 32 bytes of each row

/// Team n sums columns n * kColumns and on over rows: out[c] = LaneTreeSum over r of in[r, c].
struct ColumnSums {
  static constexpr int kThreads = kLanes * kColumns;
  using Room = TreeRoom<kColumns>;
  float* out;
  const float* in;
  int64_t R, C;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    const int64_t first = n * kColumns;
    TreeSums(team, room, R, [&](int64_t r, int w) { return first + w < C ? in[r * C + first + w] : 0.0f; });
    team.Each([&](int thread) {
      if (thread < kColumns && first + thread < C) out[first + thread] = room.total[thread];
    });
  }
};

/// Team n sums the gradients of weight and bias of channels n * kColumns and on.
struct LayerNormParameterGradients {
  static constexpr int kThreads = kLanes * kColumns;
  using Room = TreeRoom<kColumns>;
  float *weight_gradient, *bias_gradient;
  const float *upstream, *in, *mean, *rstd;
  int64_t R, C;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t n, Room& room) const {
    const int64_t first = n * kColumns;
    TreeSums(team, room, R, [&](int64_t r, int w) {
      const int64_t i = r * C + first + w;
      return first + w < C ? upstream[i] * formulas::Normalized(in[i], mean[r], rstd[r]) : 0.0f;
    });
    team.Each([&](int thread) {
      if (thread < kColumns && first + thread < C) weight_gradient[first + thread] = room.total[thread];
    });
    TreeSums(team, room, R, [&](int64_t r, int w) { return first + w < C ? upstream[r * C + first + w] : 0.0f; });
    team.Each([&](int thread) {
      if (thread < kColumns && first + thread < C) bias_gradient[first + thread] = room.total[thread];
    });
  }
};

/// The gradient of a whole table, which is zero before. Team i adds all rows of upstream that have token i of `rows`,
/// in order, if that is the first position of the token; else another team does.
struct EmbedGradient {
  static constexpr int kThreads = kLanes;
  struct Room {};
  float* table_gradient;
  VocabRange own;
  const float* upstream;
  const int32_t* tokens;
  int64_t rows, C;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t i, Room&) const {
    const int32_t token = tokens[i];
    if (!own.Has(token)) return;
    for (int64_t earlier = 0; earlier < i; ++earlier) {
      if (tokens[earlier] == token) return;
    }
    float* out = table_gradient + (token - own.begin) * C;
    team.Each([&](int thread) {
      for (int64_t row = i; row < rows; ++row) {
        if (tokens[row] != token) continue;
        for (int64_t c = thread; c < C; c += kThreads) out[c] += upstream[row * C + c];
      }
    });
  }
};

/// Team r normalises row r.
struct LayerNorm {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float *out, *mean, *rstd;
  const float *in, *weight, *bias;
  float eps;
  int64_t C;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t r, Room& room) const {
    const float* x = in + r * C;
    float* y = out + r * C;
    const auto channels = static_cast<float>(C);
    TreeSums(team, room, C, [&](int64_t c, int) { return x[c]; });
    const float m = room.total[0] / channels;
    TreeSums(team, room, C, [&](int64_t c, int) { return formulas::CenteredSquare(x[c], m); });
    const float s = formulas::ReciprocalRoot(room.total[0] / channels, eps);
    team.Each([&](int thread) {
      if (thread == 0) {
        mean[r] = m;
        rstd[r] = s;
      }
      for (int64_t c = thread; c < C; c += kThreads) {
        y[c] = formulas::Fma(formulas::Normalized(x[c], m, s), weight[c], bias[c]);
      }
    });
  }
};

/// Team r makes row r of the gradient; downstream may be upstream.
struct LayerNormGradient {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float* downstream;
  const float *upstream, *in, *mean, *rstd, *weight;
  int64_t C;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t r, Room& room) const {
    const float *u = upstream + r * C, *x = in + r * C;
    float* d = downstream + r * C;
    const auto channels = static_cast<float>(C);
    const float m = mean[r], s = rstd[r];
    const auto g = [&](int64_t c) { return u[c] * weight[c]; };
    const auto normalized = [&](int64_t c) { return formulas::Normalized(x[c], m, s); };
    TreeSums(team, room, C, [&](int64_t c, int) { return g(c); });
    const float a = room.total[0] / channels;
    TreeSums(team, room, C, [&](int64_t c, int) { return g(c) * normalized(c); });
    const float b = room.total[0] / channels;
    team.Each([&](int thread) {
      for (int64_t c = thread; c < C; c += kThreads) d[c] = formulas::LayerNormGradient(normalized(c), s, g(c), a, b);
    });
  }
};

/// Team b makes loss and gradient of row b; upstream may be the logits, and holds the numerators until the sum is
/// known.
struct SoftmaxCrossEntropy {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float *loss, *upstream;
  const float* logits;
  const int32_t* targets;
  float batch;
  int64_t V;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t b, Room& room) const {
    const float* in = logits + b * V;
    float* out = upstream + b * V;
    const int32_t target = targets[b];
    const float target_logit = in[target];
    FindLargest(team, room, V, [&](int64_t v) { return in[v]; });
    const float largest = room.total[0];
    SumNumerators(team, room, out, in, largest, V);
    const float sum = room.total[0];
    team.Each([&](int thread) {
      if (thread == 0) loss[b] = formulas::CrossEntropy(largest, sum, target_logit);
    });
    SoftmaxGradients(team, out, sum, target, batch, V);
  }
};

/// Team b finds the largest of row b, and its target.
struct LargestLogits {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float *largest, *target_logit;
  const float* logits;
  VocabRange own;
  const int32_t* targets;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t b, Room& room) const {
    const float* in = logits + b * own.numel();
    const int32_t target = targets[b];
    FindLargest(team, room, own.numel(), [&](int64_t v) { return in[v]; });
    team.Each([&](int thread) {
      if (thread != 0) return;
      largest[b] = room.total[0];
      target_logit[b] = own.Has(target) ? in[target - own.begin] : -0.0f;
    });
  }
};

/// Team b makes and sums the numerators of row b.
struct SoftmaxNumerators {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  Matrix numerators;
  float* sum;
  ConstMatrix logits;
  const float* largest;
  int64_t columns;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t b, Room& room) const {
    const float* in = logits.values + b * logits.stride;
    float* out = numerators.values + b * numerators.stride;
    SumNumerators(team, room, out, in, largest[b], columns);
    team.Each([&](int thread) {
      if (thread == 0) sum[b] = room.total[0];
    });
  }
};

/// Team b makes loss and gradient of row b.
struct CrossEntropyOfSums {
  static constexpr int kThreads = kLanes;
  using Room = TreeRoom<1>;
  float *loss, *upstream;
  const float *largest, *sum, *target_logit;
  VocabRange own;
  const int32_t* targets;
  float batch;

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t b, Room&) const {
    float* row = upstream + b * own.numel();
    const int64_t target = targets[b] - own.begin;
    team.Each([&](int thread) {
      if (thread == 0) loss[b] = formulas::CrossEntropy(largest[b], sum[b], target_logit[b]);
    });
    SoftmaxGradients(team, row, sum[b], target, batch, own.numel());
  }
};

}  // namespace zerocts::engine::bodies
