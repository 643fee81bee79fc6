// Oracle: tensors of any kind of number, and the units that only a GPT has (oracle.hpp has the others).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/model/measured.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts::oracle {

template <typename N>
using Vector = std::vector<N>;
template <typename N>
using Tensors = std::vector<std::vector<N>>;

/// Where bf16 rounds.
struct Rounding {
  Precision operands = Precision::kFp32;  // of matrix products, as in our own models
  Precision stored = Precision::kFp32;    // what every unit gives, forward and backward, as frameworks have it
};

template <typename N>
N RoundedTo(Precision precision, const N& x) {
  return precision == Precision::kFp32 ? x : ToBf16Error(x);
}
template <typename N>
void RoundOperand(Precision precision, Vector<N>& operand) {
  if (precision == Precision::kFp32) return;
  for (N& x : operand) x = ToBf16Error(x);
}

/// In any order, each partial sum rounded.
template <typename N>
N SumIn(Precision precision, const Vector<N>& terms) {
  return precision == Precision::kFp32 ? Sum(terms) : SumInBf16(terms);
}

struct TokenPositionEmbedding {
  int64_t B, T, C, V;
  std::vector<int32_t> tokens;  // [B, T]

  template <typename N>
  Vector<N> Forward(const Tensors<N>& parameters, const Vector<N>&) const {
    Vector<N> out;
    for (int64_t bt = 0; bt < B * T; ++bt) {
      for (int64_t c = 0; c < C; ++c) out.push_back(parameters[0][tokens[bt] * C + c] + parameters[1][bt % T * C + c]);
    }
    return out;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>&, const Vector<N>&, const Vector<N>& upstream, Tensors<N>& gradients) const {
    const auto sum_where = [&](int64_t c, auto is_wanted) {
      Vector<N> terms;
      for (int64_t bt = 0; bt < B * T; ++bt) {
        if (is_wanted(bt)) terms.push_back(upstream[bt * C + c]);
      }
      return Sum(terms);
    };
    for (int64_t i = 0; i < V * C; ++i) {
      gradients[0].push_back(sum_where(i % C, [&](int64_t bt) { return tokens[bt] == i / C; }));
    }
    for (int64_t i = 0; i < T * C; ++i) {
      gradients[1].push_back(sum_where(i % C, [&](int64_t bt) { return bt % T == i / C; }));
    }
    return {};
  }
};

struct LayerNorm {
  int64_t R, C;
  static constexpr double kEpsilon = 1e-5;

  template <typename N>
  Vector<N> Forward(const Tensors<N>& parameters, const Vector<N>& in) const {
    Vector<N> out;
    for (int64_t r = 0; r < R; ++r) {
      const Row<N> row = Normalized(in, r);
      for (int64_t c = 0; c < C; ++c) out.push_back(row.values[c] * parameters[0][c] + parameters[1][c]);
    }
    return out;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>& parameters, const Vector<N>& in, const Vector<N>& upstream,
                     Tensors<N>& gradients) const {
    Tensors<N> weight_terms(C), bias_terms(C);
    Vector<N> downstream;
    for (int64_t r = 0; r < R; ++r) {
      const Row<N> row = Normalized(in, r);
      Vector<N> slope, along;  // d loss / d normalized, and its products with normalized
      for (int64_t c = 0; c < C; ++c) {
        const N up = upstream[r * C + c];
        weight_terms[c].push_back(up * row.values[c]);
        bias_terms[c].push_back(up);
        slope.push_back(up * parameters[0][c]);
        along.push_back(slope.back() * row.values[c]);
      }
      const N channels(static_cast<double>(C));
      const N mean_slope = Sum(slope) / channels, mean_along = Sum(along) / channels;
      for (int64_t c = 0; c < C; ++c) {
        downstream.push_back(row.rstd * (slope[c] - mean_slope - row.values[c] * mean_along));
      }
    }
    for (int64_t c = 0; c < C; ++c) {
      gradients[0].push_back(Sum(weight_terms[c]));
      gradients[1].push_back(Sum(bias_terms[c]));
    }
    return downstream;
  }

 private:
  template <typename N>
  struct Row {
    Vector<N> values;
    N rstd;
  };

  template <typename N>
  Row<N> Normalized(const Vector<N>& in, int64_t r) const {
    const N channels(static_cast<double>(C));
    Row<N> row{{in.begin() + r * C, in.begin() + (r + 1) * C}, {}};
    const N mean = Sum(row.values) / channels;
    Vector<N> squares;
    for (N& x : row.values) {
      x = x - mean;
      squares.push_back(x * x);
    }
    row.rstd = N(1.0) / Sqrt(Sum(squares) / channels + N(kEpsilon));
    for (N& x : row.values) x = x * row.rstd;
    return row;
  }
};

struct CausalAttention {
  int64_t B, T, heads, C;
  Precision precision = Precision::kFp32;
  int64_t kv_heads = heads;
  Precision stored = Precision::kFp32;  // also of the scores

  template <typename N>
  Vector<N> Forward(const Tensors<N>&, Vector<N> in) const {
    RoundOperand(precision, in);
    Vector<N> out(B * T * C);
    ForEachQuery([&](int64_t b, int64_t h, int64_t t) {
      Vector<N> p = Probabilities(in, b, h, t);
      RoundOperand(precision, p);
      for (int64_t d = 0; d < D(); ++d) {
        Vector<N> terms;
        for (int64_t j = 0; j <= t; ++j) terms.push_back(p[j] * in[V(b, j, h, d)]);
        out[(b * T + t) * C + h * D() + d] = Sum(terms);
      }
    });
    return out;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>&, Vector<N> in, Vector<N> upstream, Tensors<N>&) const {
    RoundOperand(precision, in);
    RoundOperand(precision, upstream);
    Tensors<N> terms(B * T * (heads + 2 * kv_heads) * D());  // of d loss / d in
    ForEachQuery([&](int64_t b, int64_t h, int64_t t) {
      const Vector<N> p = Probabilities(in, b, h, t);
      const N* up = &upstream[(b * T + t) * C + h * D()];
      Vector<N> rounded_p = p, p_slope, along;
      RoundOperand(precision, rounded_p);
      for (int64_t j = 0; j <= t; ++j) {
        Vector<N> products;
        for (int64_t d = 0; d < D(); ++d) products.push_back(up[d] * in[V(b, j, h, d)]);
        p_slope.push_back(Sum(products));
        along.push_back(p_slope.back() * p[j]);
      }
      const N mean = Sum(along);
      Vector<N> score_slope;
      for (int64_t j = 0; j <= t; ++j) score_slope.push_back(p[j] * (p_slope[j] - mean) * Scale<N>());
      RoundOperand(precision, score_slope);
      for (int64_t j = 0; j <= t; ++j) {
        for (int64_t d = 0; d < D(); ++d) {
          terms[Q(b, t, h, d)].push_back(score_slope[j] * in[K(b, j, h, d)]);
          terms[K(b, j, h, d)].push_back(score_slope[j] * in[Q(b, t, h, d)]);
          terms[V(b, j, h, d)].push_back(rounded_p[j] * up[d]);
        }
      }
    });
    Vector<N> downstream;
    for (const Vector<N>& sum : terms) downstream.push_back(Sum(sum));
    return downstream;
  }

 private:
  int64_t D() const { return C / heads; }
  /// In a row stand heads of q, kv_heads of k, and as many of v.
  int64_t At(int64_t b, int64_t t, int64_t which, int64_t d) const {
    return ((b * T + t) * (heads + 2 * kv_heads) + which) * D() + d;
  }
  /// What head h of q uses.
  int64_t Q(int64_t b, int64_t t, int64_t h, int64_t d) const { return At(b, t, h, d); }
  int64_t K(int64_t b, int64_t t, int64_t h, int64_t d) const { return At(b, t, heads + h * kv_heads / heads, d); }
  int64_t V(int64_t b, int64_t t, int64_t h, int64_t d) const {
    return At(b, t, heads + kv_heads + h * kv_heads / heads, d);
  }
  template <typename N>
  N Scale() const {
    return N(1.0 / std::sqrt(static_cast<double>(D())));
  }

  template <typename Visit>
  void ForEachQuery(Visit visit) const {
    for (int64_t b = 0; b < B; ++b) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t t = 0; t < T; ++t) visit(b, h, t);
      }
    }
  }

  template <typename N>
  Vector<N> Probabilities(const Vector<N>& in, int64_t b, int64_t h, int64_t t) const {
    Vector<N> scores;
    for (int64_t j = 0; j <= t; ++j) {
      Vector<N> products;
      for (int64_t d = 0; d < D(); ++d) products.push_back(in[Q(b, t, h, d)] * in[K(b, j, h, d)]);
      scores.push_back(Sum(products) * Scale<N>());
    }
    RoundOperand(stored, scores);
    const N largest = *std::ranges::max_element(scores, {}, [](const N& x) { return ValueOf(x); });
    for (N& x : scores) x = Exp(x - largest);
    const N sum = Sum(scores);
    for (N& x : scores) x = x / sum;
    return scores;
  }
};

}  // namespace zerocts::oracle
