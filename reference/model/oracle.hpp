// Oracle: every unit written once more over any kind of number, as plain loops over the definition.
// double gives finite differences, RunningError the error that the model may have. Shapes as in unit.hpp.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "reference/model/oracle_gpt.hpp"

namespace zerocts::oracle {

struct Embedding {
  int64_t B, T, C, V;
  std::vector<int32_t> tokens;  // [B, T]
  Precision stored = Precision::kFp32;

  template <typename N>
  Vector<N> Forward(const Tensors<N>& parameters, const Vector<N>&) const {
    Vector<N> out(B * T * C);
    for (int64_t bt = 0; bt < B * T; ++bt) std::copy_n(parameters[0].begin() + tokens[bt] * C, C, out.begin() + bt * C);
    return out;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>&, const Vector<N>&, const Vector<N>& upstream, Tensors<N>& gradients) const {
    for (int64_t row = 0; row < V; ++row) {
      for (int64_t c = 0; c < C; ++c) {
        Vector<N> terms;
        for (int64_t bt = 0; bt < B * T; ++bt) {
          if (tokens[bt] == row) terms.push_back(upstream[bt * C + c]);
        }
        gradients[0].push_back(SumIn(stored, terms));
      }
    }
    return {};
  }
};

struct Linear {
  int64_t B, I, O;  // B rows
  Precision precision = Precision::kFp32;
  bool bias = true;

  template <typename N>
  Vector<N> Forward(const Tensors<N>& parameters, Vector<N> in) const {
    RoundOperand(in);
    Vector<N> out;
    for (int64_t b = 0; b < B; ++b) {
      for (int64_t o = 0; o < O; ++o) {
        Vector<N> terms;
        if (bias) terms.push_back(parameters[1][o]);
        for (int64_t i = 0; i < I; ++i) terms.push_back(in[b * I + i] * parameters[0][o * I + i]);
        out.push_back(Sum(terms));
      }
    }
    return out;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>& parameters, Vector<N> in, Vector<N> upstream, Tensors<N>& gradients) const {
    RoundOperand(in);
    RoundOperand(upstream);
    for (int64_t o = 0; o < O; ++o) {
      for (int64_t i = 0; i < I; ++i) {
        Vector<N> terms;
        for (int64_t b = 0; b < B; ++b) terms.push_back(upstream[b * O + o] * in[b * I + i]);
        gradients[0].push_back(Sum(terms));
      }
      if (!bias) continue;
      Vector<N> terms;
      for (int64_t b = 0; b < B; ++b) terms.push_back(upstream[b * O + o]);
      gradients[1].push_back(Sum(terms));
    }
    Vector<N> downstream;
    for (int64_t b = 0; b < B; ++b) {
      for (int64_t i = 0; i < I; ++i) {
        Vector<N> terms;
        for (int64_t o = 0; o < O; ++o) terms.push_back(upstream[b * O + o] * parameters[0][o * I + i]);
        downstream.push_back(Sum(terms));
      }
    }
    return downstream;
  }

 private:
  template <typename N>
  void RoundOperand(Vector<N>& operand) const {
    oracle::RoundOperand(precision, operand);
  }
};

/// Linear layers of one shape, whose parameters stand one after the other: the one of `expert` is computed with, and
/// the others have gradient 0.
struct ExpertLinear {
  Linear linear;
  size_t expert;

  template <typename N>
  Vector<N> Forward(const Tensors<N>& parameters, const Vector<N>& in) const {
    return linear.Forward(OwnOf(parameters), in);
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>& parameters, const Vector<N>& in, const Vector<N>& upstream,
                     Tensors<N>& gradients) const {
    Tensors<N> own(2);
    const Vector<N> downstream = linear.Backward(OwnOf(parameters), in, upstream, own);
    for (size_t p = 0; p < parameters.size(); ++p) gradients[p].assign(parameters[p].size(), N(0));
    std::ranges::move(own, gradients.begin() + static_cast<std::ptrdiff_t>(2 * expert));
    return downstream;
  }

  template <typename N>
  Tensors<N> OwnOf(const Tensors<N>& parameters) const {
    return {parameters[2 * expert], parameters[2 * expert + 1]};
  }
};

struct Gelu {
  static constexpr double kCubic = 0.044715;
  static inline const double kScale = std::sqrt(2.0 / std::acos(-1.0));

  template <typename N>
  static N TanhTerm(N x) {
    return Tanh(N(kScale) * (x + N(kCubic) * x * x * x));
  }

  template <typename N>
  Vector<N> Forward(const Tensors<N>&, const Vector<N>& in) const {
    Vector<N> out;
    for (const N& x : in) out.push_back(N(0.5) * x * (N(1.0) + TanhTerm(x)));
    return out;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>&, const Vector<N>& in, const Vector<N>& upstream, Tensors<N>&) const {
    Vector<N> downstream;
    for (size_t i = 0; i < in.size(); ++i) {
      const N x = in[i], th = TanhTerm(x);
      const N slope = N(kScale) * (N(1.0) + N(3 * kCubic) * x * x);
      downstream.push_back(upstream[i] * (N(0.5) * (N(1.0) + th) + N(0.5) * x * (N(1.0) - th * th) * slope));
    }
    return downstream;
  }
};

struct SoftmaxCrossEntropy {
  int64_t B, V;
  std::vector<int32_t> targets;  // [B]
  Precision stored = Precision::kFp32;

  /// log-sum-exp minus the target's logit
  template <typename N>
  Vector<N> Forward(const Tensors<N>&, const Vector<N>& in) const {
    Vector<N> loss;
    for (int64_t b = 0; b < B; ++b) {
      const N largest = Largest(in, b), log_sum = Log(Sum(Numerators(in, b))), logit = in[b * V + targets[b]];
      loss.push_back(Either(largest + log_sum - logit, log_sum - (logit - largest)));
    }
    return loss;
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>&, const Vector<N>& in, const Vector<N>&, Tensors<N>&) const {
    const N share(1.0 / static_cast<double>(B));
    Vector<N> downstream;
    for (int64_t b = 0; b < B; ++b) {
      const Vector<N> probabilities = Probabilities(in, b);
      for (int64_t v = 0; v < V; ++v) {
        downstream.push_back(probabilities[v] * share - N(v == targets[b] ? 1.0 : 0.0) * share);
      }
    }
    return downstream;
  }

 private:
  template <typename N>
  N Largest(const Vector<N>& in, int64_t b) const {
    return *std::max_element(in.begin() + b * V, in.begin() + (b + 1) * V,
                             [](N x, N y) { return ValueOf(x) < ValueOf(y); });
  }
  template <typename N>
  Vector<N> Numerators(const Vector<N>& in, int64_t b) const {
    const N largest = Largest(in, b);
    Vector<N> numerators;
    for (int64_t v = 0; v < V; ++v) numerators.push_back(Exp(in[b * V + v] - largest));
    return numerators;
  }
  /// Softmax, or exp of log-softmax, which may have been stored.
  template <typename N>
  Vector<N> Probabilities(const Vector<N>& in, int64_t b) const {
    const N largest = Largest(in, b);
    Vector<N> probabilities = Numerators(in, b);
    const N sum = Sum(probabilities), log_sum = Log(sum);
    Vector<N> logarithms;
    for (int64_t v = 0; v < V; ++v) logarithms.push_back(in[b * V + v] - largest - log_sum);
    oracle::RoundOperand(stored, logarithms);
    for (int64_t v = 0; v < V; ++v) probabilities[v] = Either(probabilities[v] / sum, Exp(logarithms[v]));
    return probabilities;
  }
};

struct Chain;

/// out = in + branch(in)
struct Residual {
  std::shared_ptr<const Chain> branch;

  template <typename N>
  Vector<N> Forward(const Tensors<N>& parameters, const Vector<N>& in) const;
  template <typename N>
  Vector<N> Backward(const Tensors<N>& parameters, const Vector<N>& in, const Vector<N>& upstream,
                     Tensors<N>& gradients) const;
};

/// Units one after the other; `parameter_count` of each says which parameters are whose.
struct Chain {
  struct Link {
    std::variant<Embedding, TokenPositionEmbedding, Linear, ExpertLinear, Gelu, LayerNorm, CausalAttention, Residual,
                 SoftmaxCrossEntropy>
        unit;
    size_t parameter_count;
  };
  std::vector<Link> links;
  Precision stored = Precision::kFp32;  // what each unit gives is rounded to it

  template <typename N>
  Vector<N> Forward(const Tensors<N>& parameters, const Vector<N>& in) const {
    return Activations(parameters, in).back();
  }

  template <typename N>
  Vector<N> Backward(const Tensors<N>& parameters, const Vector<N>& in, Vector<N> upstream,
                     Tensors<N>& gradients) const {
    return Backward(parameters, in, std::move(upstream), gradients, [](const auto&...) {});
  }

  /// visit(unit, its parameters, its input, upstream of its output) for each, the last one first.
  template <typename N, typename Visit>
  Vector<N> Backward(const Tensors<N>& parameters, const Vector<N>& in, Vector<N> upstream, Tensors<N>& gradients,
                     Visit visit) const {
    const Tensors<N> activations = Activations(parameters, in);
    size_t end = parameters.size();
    for (size_t u = links.size(); u-- > 0;) {
      const size_t begin = end - links[u].parameter_count;
      const Tensors<N> of_unit = Slice(parameters, begin, end);
      Tensors<N> own(links[u].parameter_count);
      upstream = std::visit(
          [&](const auto& unit) {
            visit(unit, of_unit, activations[u], upstream);
            return unit.Backward(of_unit, activations[u], upstream, own);
          },
          links[u].unit);
      RoundOperand(stored, upstream);
      for (Vector<N>& gradient : own) RoundOperand(stored, gradient);
      std::ranges::move(own, gradients.begin() + begin);
      end = begin;
    }
    return upstream;
  }

 private:
  /// Input of every unit, and the last output.
  template <typename N>
  Tensors<N> Activations(const Tensors<N>& parameters, const Vector<N>& in) const {
    Tensors<N> activations = {in};
    size_t begin = 0;
    for (const Link& link : links) {
      const size_t end = begin + link.parameter_count;
      activations.push_back(
          std::visit([&](const auto& unit) { return unit.Forward(Slice(parameters, begin, end), activations.back()); },
                     link.unit));
      RoundOperand(stored, activations.back());
      begin = end;
    }
    return activations;
  }

  template <typename N>
  static Tensors<N> Slice(const Tensors<N>& parameters, size_t begin, size_t end) {
    return Tensors<N>(parameters.begin() + begin, parameters.begin() + end);
  }
};

template <typename N>
Vector<N> Plus(Vector<N> a, const Vector<N>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] + b[i];
  return a;
}

template <typename N>
Vector<N> Residual::Forward(const Tensors<N>& parameters, const Vector<N>& in) const {
  return Plus(branch->Forward(parameters, in), in);
}

template <typename N>
Vector<N> Residual::Backward(const Tensors<N>& parameters, const Vector<N>& in, const Vector<N>& upstream,
                             Tensors<N>& gradients) const {
  return Plus(branch->Backward(parameters, in, upstream, gradients), upstream);
}

}  // namespace zerocts::oracle
