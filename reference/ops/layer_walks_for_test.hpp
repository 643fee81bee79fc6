// Layers written out once more as scalar walks of their definitions in ops.hpp, sharing no code with the kernels:
// libm's fma and sqrt, which are correctly rounded, the lane tree level by level, Exp from numerics.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "reference/numerics/bf16.hpp"
#include "reference/numerics/elementary.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts::walk {

using Tensor = std::vector<float>;

inline float LaneTree(const Tensor& values) {
  Tensor level;
  for (size_t block = 0; block < values.size(); block += 1024) {
    Tensor lanes(64, 0.0f);
    for (size_t i = block; i < std::min(block + 1024, values.size()); ++i) lanes[i % 64] += values[i];
    for (const int width : {32, 16, 8, 4, 2, 1}) {
      for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
    }
    level.push_back(lanes[0]);
  }
  while (level.size() > 1) {
    Tensor next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(level[i] + level[i + 1]);
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = next;
  }
  return level.empty() ? 0.0f : level[0];
}

/// Every kernel table alone, the fastest also with two helpers.
inline std::vector<std::pair<std::string, int>> KernelsAndThreads() {
  std::vector<std::pair<std::string, int>> pairs;
  for (const std::string& kernels : HostKernelNames()) pairs.emplace_back(kernels, 1);
  pairs.emplace_back(HostKernelNames().back(), 3);
  return pairs;
}

inline Tensor RoundedTensor(Tensor values) {
  for (float& x : values) x = RoundToBf16(x);
  return values;
}

// --- LayerNorm

struct Normalization {
  Tensor out, mean, rstd;
};

inline Normalization LayerNorm(const Tensor& in, const Tensor& weight, const Tensor& bias, float eps, int64_t R,
                               int64_t C) {
  Normalization result;
  for (int64_t r = 0; r < R; ++r) {
    const Tensor x(in.begin() + r * C, in.begin() + (r + 1) * C);
    const float mean = LaneTree(x) / static_cast<float>(C);
    Tensor squares;
    for (const float value : x) squares.push_back((value - mean) * (value - mean));
    const float variance = LaneTree(squares) / static_cast<float>(C);
    const float rstd = 1.0f / std::sqrt(variance + eps);
    for (int64_t c = 0; c < C; ++c) result.out.push_back(std::fma((x[c] - mean) * rstd, weight[c], bias[c]));
    result.mean.push_back(mean);
    result.rstd.push_back(rstd);
  }
  return result;
}

struct NormalizationGradient {
  Tensor downstream, weight, bias;
};

inline NormalizationGradient LayerNormGradient(const Tensor& upstream, const Tensor& in, const Tensor& mean,
                                               const Tensor& rstd, const Tensor& weight, int64_t R, int64_t C) {
  const auto normalized = [&](int64_t r, int64_t c) { return (in[r * C + c] - mean[r]) * rstd[r]; };
  NormalizationGradient result;
  for (int64_t r = 0; r < R; ++r) {
    Tensor g, products;
    for (int64_t c = 0; c < C; ++c) {
      g.push_back(upstream[r * C + c] * weight[c]);
      products.push_back(g[c] * normalized(r, c));
    }
    const float a = LaneTree(g) / static_cast<float>(C), b = LaneTree(products) / static_cast<float>(C);
    for (int64_t c = 0; c < C; ++c) result.downstream.push_back(std::fma(-normalized(r, c), b, g[c] - a) * rstd[r]);
  }
  for (int64_t c = 0; c < C; ++c) {
    Tensor products, plain;
    for (int64_t r = 0; r < R; ++r) {
      products.push_back(upstream[r * C + c] * normalized(r, c));
      plain.push_back(upstream[r * C + c]);
    }
    result.weight.push_back(LaneTree(products));
    result.bias.push_back(LaneTree(plain));
  }
  return result;
}

// --- attention

struct AttentionShape {
  int64_t B, T, heads, D;
  int64_t kv_heads = heads;
  int64_t C() const { return heads * D; }
  int64_t row() const { return (heads + 2 * kv_heads) * D; }
  int64_t qkv_numel() const { return B * T * row(); }
  int64_t out_numel() const { return B * T * C(); }
  int64_t probabilities_numel() const { return B * heads * T * T; }
};

/// Calls visit(q, k, v, out, p) for each head: q(t, d) is an index into qkv, out(t, d) into out, p(t, i) into the
/// probabilities. In a row of qkv stand heads of q, then kv_heads of k, then as many of v.
template <typename Visit>
void ForEachHead(const AttentionShape& shape, Visit visit) {
  for (int64_t b = 0; b < shape.B; ++b) {
    for (int64_t h = 0; h < shape.heads; ++h) {
      const auto head_of_row = [=](int64_t which) {
        return [=](int64_t t, int64_t d) { return (b * shape.T + t) * shape.row() + which * shape.D + d; };
      };
      const int64_t kv = h / (shape.heads / shape.kv_heads), k = shape.heads + kv, v = k + shape.kv_heads;
      const auto out = [=](int64_t t, int64_t d) { return (b * shape.T + t) * shape.C() + h * shape.D + d; };
      const auto p = [=](int64_t t, int64_t i) { return ((b * shape.heads + h) * shape.T + t) * shape.T + i; };
      visit(head_of_row(h), head_of_row(k), head_of_row(v), out, p);
    }
  }
}

inline Tensor Softmax(const Tensor& scores) {
  float largest = -std::numeric_limits<float>::infinity();
  for (const float s : scores) {
    if (s > largest) largest = s;
  }
  Tensor p;
  for (const float s : scores) p.push_back(Exp(s - largest));
  const float sum = LaneTree(p);
  for (float& x : p) x /= sum;
  return p;
}

/// One fma chain over k = begin .. end - 1, on from `sum`.
template <typename Left, typename Right>
float Chain(int64_t begin, int64_t end, Left left, Right right, float sum = 0.0f) {
  for (int64_t k = begin; k < end; ++k) sum = std::fma(left(k), right(k), sum);
  return sum;
}

struct Attention {
  Tensor out, probabilities;
};

inline Attention CausalAttention(Tensor qkv, bool round_operands, const AttentionShape& shape) {
  const int64_t T = shape.T, D = shape.D;
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(D)));
  if (round_operands) qkv = RoundedTensor(qkv);
  Attention result{Tensor(shape.out_numel()), Tensor(shape.probabilities_numel(), 0.0f)};
  ForEachHead(shape, [&](auto q, auto k, auto v, auto out, auto p) {
    for (int64_t t = 0; t < T; ++t) {
      Tensor scores;
      for (int64_t i = 0; i <= t; ++i) {
        scores.push_back(scale *
                         Chain(
                             0, D, [&](int64_t d) { return qkv[q(t, d)]; }, [&](int64_t d) { return qkv[k(i, d)]; }));
      }
      Tensor row = Softmax(scores);
      std::copy(row.begin(), row.end(), result.probabilities.begin() + p(t, 0));
      if (round_operands) row = RoundedTensor(row);
      for (int64_t d = 0; d < D; ++d) {
        result.out[out(t, d)] = Chain(
            0, t + 1, [&](int64_t i) { return row[i]; }, [&](int64_t i) { return qkv[v(i, d)]; });
      }
    }
  });
  return result;
}

/// d loss / d qkv; qkv and probabilities as CausalAttention left them.
inline Tensor CausalAttentionGradient(Tensor upstream, const Tensor& qkv, const Tensor& probabilities,
                                      bool round_operands, const AttentionShape& shape) {
  const int64_t T = shape.T, D = shape.D;
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(D)));
  if (round_operands) upstream = RoundedTensor(upstream);
  const Tensor operand = round_operands ? RoundedTensor(probabilities) : probabilities;
  Tensor gradient(shape.qkv_numel(), 0.0f);  // chains of k and v go on from head to head
  ForEachHead(shape, [&](auto q, auto k, auto v, auto out, auto p) {
    std::vector<Tensor> ds(T);
    for (int64_t t = 0; t < T; ++t) {
      Tensor products;
      for (int64_t i = 0; i <= t; ++i) {
        ds[t].push_back(Chain(
            0, D, [&](int64_t d) { return upstream[out(t, d)]; }, [&](int64_t d) { return qkv[v(i, d)]; }));
        products.push_back(probabilities[p(t, i)] * ds[t][i]);
      }
      const float dot = LaneTree(products);
      for (int64_t i = 0; i <= t; ++i) ds[t][i] = scale * (probabilities[p(t, i)] * (ds[t][i] - dot));
      if (round_operands) ds[t] = RoundedTensor(ds[t]);
    }
    for (int64_t t = 0; t < T; ++t) {
      for (int64_t d = 0; d < D; ++d) {
        gradient[q(t, d)] = Chain(
            0, t + 1, [&](int64_t i) { return ds[t][i]; }, [&](int64_t i) { return qkv[k(i, d)]; });
        gradient[k(t, d)] = Chain(
            t, T, [&](int64_t i) { return ds[i][t]; }, [&](int64_t i) { return qkv[q(i, d)]; }, gradient[k(t, d)]);
        gradient[v(t, d)] = Chain(
            t, T, [&](int64_t i) { return operand[p(i, t)]; }, [&](int64_t i) { return upstream[out(i, d)]; },
            gradient[v(t, d)]);
      }
    }
  });
  return gradient;
}

}  // namespace zerocts::walk
