// Test oracle: LayerNorm and causal attention, written like the units of oracle.hpp over any kind of number.
#pragma once
#include <algorithm>
#include <cstdint>

#include "reference/model/measured.hpp"
#include "reference/model/oracle.hpp"

namespace zerocts::oracle {

/// in [R, C]; parameters weight [C], bias [C].
struct LayerNorm {
  int64_t R, C;
  double eps;

  template <typename N>
  Vector<N> Forward(const Tensors<N>& parameters, const Vector<N>& in) const {
    Vector<N> out;
    for (int64_t r = 0; r < R; ++r) {
      const Row<N> row = Normalize(in, r);
      for (int64_t c = 0; c < C; ++c) out.push_back(row.normalized[c] * parameters[0][c] + parameters[1][c]);
    }
    return out;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>& parameters, const Vector<N>& in, const Vector<N>& upstream,
                     Tensors<N>& gradients) const {
    const N channels(static_cast<double>(C));
    Vector<Row<N>> rows;
    for (int64_t r = 0; r < R; ++r) rows.push_back(Normalize(in, r));
    for (int64_t c = 0; c < C; ++c) {
      Vector<N> products, plain;
      for (int64_t r = 0; r < R; ++r) {
        products.push_back(upstream[r * C + c] * rows[r].normalized[c]);
        plain.push_back(upstream[r * C + c]);
      }
      gradients[0].push_back(Sum(products));
      gradients[1].push_back(Sum(plain));
    }
    Vector<N> downstream;
    for (int64_t r = 0; r < R; ++r) {
      Vector<N> g, products;
      for (int64_t c = 0; c < C; ++c) {
        g.push_back(upstream[r * C + c] * parameters[0][c]);
        products.push_back(g[c] * rows[r].normalized[c]);
      }
      const N a = Sum(g) / channels, b = Sum(products) / channels;
      for (int64_t c = 0; c < C; ++c) downstream.push_back((g[c] - a - rows[r].normalized[c] * b) * rows[r].rstd);
    }
    return downstream;
  }

 private:
  template <typename N>
  struct Row {
    Vector<N> normalized;
    N rstd;
  };

  template <typename N>
  Row<N> Normalize(const Vector<N>& in, int64_t r) const {
    const N channels(static_cast<double>(C));
    const N mean = Sum(Vector<N>(in.begin() + r * C, in.begin() + (r + 1) * C)) / channels;
    Vector<N> centered, squares;
    for (int64_t c = 0; c < C; ++c) {
      centered.push_back(in[r * C + c] - mean);
      squares.push_back(centered[c] * centered[c]);
    }
    Row<N> row{{}, N(1.0) / Sqrt(Sum(squares) / channels + N(eps))};
    for (const N& d : centered) row.normalized.push_back(d * row.rstd);
    return row;
  }
};

/// in: qkv [B*T, 3*C], out [B*T, C]; no parameters. In bf16 each operand of a product carries the error of its rounding.
struct CausalAttention {
  int64_t B, T, heads, C;
  Precision precision = Precision::kFp32;

  template <typename N>
  Vector<N> Forward(const Tensors<N>&, Vector<N> in) const {
    RoundOperand(in);
    Vector<N> out(B * T * C);
    for (int64_t b = 0; b < B; ++b) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t t = 0; t < T; ++t) {
          Vector<N> p = Probabilities(in, b, h, t);
          RoundOperand(p);
          for (int64_t d = 0; d < D(); ++d) {
            Vector<N> terms;
            for (int64_t k = 0; k <= t; ++k) terms.push_back(p[k] * in[At(b, h, k, 2, d)]);
            out[OutAt(b, h, t, d)] = Sum(terms);
          }
        }
      }
    }
    return out;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>&, Vector<N> in, Vector<N> upstream, Tensors<N>&) const {
    RoundOperand(in);
    RoundOperand(upstream);
    Vector<N> downstream(in.size());
    for (int64_t b = 0; b < B; ++b) {
      for (int64_t h = 0; h < heads; ++h) HeadBackward(in, upstream, b, h, downstream);
    }
    return downstream;
  }

 private:
  int64_t D() const { return C / heads; }
  int64_t At(int64_t b, int64_t h, int64_t t, int64_t which, int64_t d) const {
    return ((b * T + t) * 3 + which) * C + h * D() + d;
  }
  int64_t OutAt(int64_t b, int64_t h, int64_t t, int64_t d) const { return (b * T + t) * C + h * D() + d; }

  template <typename N>
  void RoundOperand(Vector<N>& operand) const {
    if (precision == Precision::kFp32) return;
    for (N& x : operand) x = ToBf16Error(x);
  }

  template <typename N>
  N Scale() const {
    return N(1.0) / Sqrt(N(static_cast<double>(D())));
  }

  template <typename N>
  Vector<N> Probabilities(const Vector<N>& in, int64_t b, int64_t h, int64_t t) const {
    Vector<N> scores;
    for (int64_t k = 0; k <= t; ++k) {
      Vector<N> terms;
      for (int64_t d = 0; d < D(); ++d) terms.push_back(in[At(b, h, t, 0, d)] * in[At(b, h, k, 1, d)]);
      scores.push_back(Scale<N>() * Sum(terms));
    }
    const N largest =
        *std::max_element(scores.begin(), scores.end(), [](N x, N y) { return ValueOf(x) < ValueOf(y); });
    Vector<N> p;
    for (const N& s : scores) p.push_back(Exp(s - largest));
    const N sum = Sum(p);
    for (N& x : p) x = x / sum;
    return p;
  }

  template <typename N>
  void HeadBackward(const Vector<N>& in, const Vector<N>& upstream, int64_t b, int64_t h, Vector<N>& downstream) const {
    Tensors<N> p, ds;
    for (int64_t t = 0; t < T; ++t) {
      p.push_back(Probabilities(in, b, h, t));
      Vector<N> dp, products;
      for (int64_t k = 0; k <= t; ++k) {
        Vector<N> terms;
        for (int64_t d = 0; d < D(); ++d) terms.push_back(upstream[OutAt(b, h, t, d)] * in[At(b, h, k, 2, d)]);
        dp.push_back(Sum(terms));
        products.push_back(p[t][k] * dp[k]);
      }
      const N dot = Sum(products);
      ds.emplace_back();
      for (int64_t k = 0; k <= t; ++k) ds[t].push_back(Scale<N>() * (p[t][k] * (dp[k] - dot)));
      RoundOperand(ds[t]);
      RoundOperand(p[t]);
    }
    for (int64_t t = 0; t < T; ++t) {
      for (int64_t d = 0; d < D(); ++d) {
        Vector<N> of_q, of_k, of_v;
        for (int64_t k = 0; k <= t; ++k) of_q.push_back(ds[t][k] * in[At(b, h, k, 1, d)]);
        for (int64_t later = t; later < T; ++later) {
          of_k.push_back(ds[later][t] * in[At(b, h, later, 0, d)]);
          of_v.push_back(p[later][t] * upstream[OutAt(b, h, later, d)]);
        }
        downstream[At(b, h, t, 0, d)] = Sum(of_q);
        downstream[At(b, h, t, 1, d)] = Sum(of_k);
        downstream[At(b, h, t, 2, d)] = Sum(of_v);
      }
    }
  }
};

}  // namespace zerocts::oracle
