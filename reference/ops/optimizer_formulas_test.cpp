// Every formula of Adam, LAMB and SGD against a walk in which MPFR rounds each written operation once.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/ops/rounding_oracle_for_test.hpp"

namespace zerocts {
namespace {

constexpr int64_t kNumel = 37;  // a vector of 16, another one, a tail
constexpr int kSteps = 2;

AdamScalars ScalarsFor(float beta1) {
  return {.step_size = 1e-2f,
          .beta1 = beta1,
          .beta2 = 0.99f,
          .one_minus_beta1 = 1.0f - beta1,
          .one_minus_beta2 = 1.0f - 0.99f,
          .eps = 1e-3f,
          .weight_decay = 0.1f,
          .correction1 = 0.271f,
          .correction2 = 0.0297f,
          .root_correction2 = 0.1723f,
          .shrink = 0.999f,
          .clip = 0.37f};
}

struct Element {
  float p, m, v;
};

/// The formula as its comments say it, one line per rounding.
class Walk {
 public:
  Walk(RoundingOracle& oracle, const OptimizerFormula& formula) : r_(oracle), f_(formula) {}

  Element Adam(const AdamScalars& s, Element e, float gradient) {
    float g = r_.Times(s.clip, gradient);
    if (f_.decay == DecayPosition::kGradient) g = Sum(s.weight_decay, e.p, g);
    if (f_.decay == DecayPosition::kBefore) e.p = r_.Times(e.p, s.shrink);
    Moments(s, e, g);
    const float mean = Mean(s, e.m), denominator = Denominator(s, e.v);
    if (f_.update == UpdateOrder::kProductFirst) {
      e.p = r_.Plus(e.p, r_.Over(r_.Times(-s.step_size, mean), denominator));
    } else {
      float u = r_.Over(mean, denominator);
      if (f_.decay == DecayPosition::kUpdate) u = Sum(s.weight_decay, e.p, u);
      e.p = Sum(-s.step_size, u, e.p);
    }
    if (f_.decay == DecayPosition::kAfter) e.p = r_.Times(e.p, s.shrink);
    return e;
  }

  float LambUpdate(const AdamScalars& s, Element& e, float gradient) {
    Moments(s, e, r_.Times(s.clip, gradient));
    return Sum(s.weight_decay, e.p, r_.Over(Mean(s, e.m), Denominator(s, e.v)));
  }

  void Sgd(const MomentumScalars& s, float& p, float& u, float gradient) {
    float d = r_.Times(s.clip, gradient);
    if (s.weight_decay != 0) d = Sum(s.weight_decay, p, d);
    if (s.momentum == 0) {
      p = Sum(-s.lr, d, p);
      return;
    }
    if (s.first) {
      u = d;
    } else if (f_.moments == MomentOrder::kFma) {
      u = Sum(s.momentum, u, r_.Times(s.gradient_weight, d));
    } else {
      u = Sum(s.gradient_weight, d, r_.Times(s.momentum, u));
    }
    p = Sum(-s.lr, s.nesterov ? Sum(s.momentum, u, d) : u, p);
  }

 private:
  /// a b + c
  float Sum(float a, float b, float c) {
    return f_.products == ProductRounding::kFused ? r_.Fma(a, b, c) : r_.Plus(r_.Times(a, b), c);
  }

  void Moments(const AdamScalars& s, Element& e, float g) {
    if (f_.moments == MomentOrder::kFma) {
      e.m = Sum(s.beta1, e.m, r_.Times(s.one_minus_beta1, g));
      e.v = Sum(s.beta2, e.v, r_.Times(r_.Times(s.one_minus_beta2, g), g));
      return;
    }
    const float weight = s.one_minus_beta1, way = r_.Minus(g, e.m);
    e.m = weight < 0.5f ? Sum(weight, way, e.m) : Sum(r_.Minus(weight, 1.0f), way, g);
    e.v = Sum(r_.Times(s.one_minus_beta2, g), g, r_.Times(s.beta2, e.v));
  }

  float Mean(const AdamScalars& s, float m) {
    return f_.bias_correction == BiasCorrection::kFolded ? m : r_.Over(m, s.correction1);
  }

  float Denominator(const AdamScalars& s, float v) {
    const bool folded = f_.bias_correction == BiasCorrection::kFolded;
    switch (f_.epsilon) {
      case EpsilonPosition::kOutside:
        return r_.Plus(folded ? r_.Over(r_.Root(v), s.root_correction2) : r_.Root(r_.Over(v, s.correction2)), s.eps);
      case EpsilonPosition::kInside: return r_.Root(r_.Plus(r_.Over(v, s.correction2), s.eps));
      case EpsilonPosition::kOutsideUncorrected:
        return folded ? r_.Plus(r_.Root(v), s.eps) : r_.Over(r_.Plus(r_.Root(v), s.eps), s.root_correction2);
      case EpsilonPosition::kInsideUncorrected:
        return folded ? r_.Root(r_.Plus(v, s.eps)) : r_.Over(r_.Root(r_.Plus(v, s.eps)), s.root_correction2);
    }
    return NAN;
  }

  RoundingOracle& r_;
  const OptimizerFormula f_;
};

void ForEachFormula(const std::function<void(const OptimizerFormula&)>& visit) {
  for (int code = 0; code < 2 * 4 * 3 * 4 * 2 * 2; ++code) {
    int rest = code;
    const auto digit = [&](int choices) {
      const int value = rest % choices;
      rest /= choices;
      return value;
    };
    OptimizerFormula f;
    f.moments = static_cast<MomentOrder>(digit(2));
    f.decay = static_cast<DecayPosition>(digit(4));
    f.bias_correction = static_cast<BiasCorrection>(digit(3));
    f.epsilon = static_cast<EpsilonPosition>(digit(4));
    f.update = static_cast<UpdateOrder>(digit(2));
    f.products = static_cast<ProductRounding>(digit(2));
    visit(f);
  }
}

struct Tensors {
  std::vector<float> p = OrdinaryFloats(kNumel, 1), m = OrdinaryFloats(kNumel, 2), v = OrdinaryFloats(kNumel, 3);
  Tensors() {
    for (float& x : v) x = std::abs(x);
  }
  Element at(int64_t i) const { return {p[i], m[i], v[i]}; }
  void set(int64_t i, const Element& e) {
    p[i] = e.p;
    m[i] = e.m;
    v[i] = e.v;
  }
};

void ExpectEqualBits(const Tensors& got, const Tensors& expected, const std::string& where) {
  ASSERT_EQ(CanonicalBitsOf(got.m), CanonicalBitsOf(expected.m)) << where;
  ASSERT_EQ(CanonicalBitsOf(got.v), CanonicalBitsOf(expected.v)) << where;
  ASSERT_EQ(CanonicalBitsOf(got.p), CanonicalBitsOf(expected.p)) << where;
}

std::string Text(const OptimizerFormula& f) {
  std::string digits;
  for (const int choice :
       {int(f.moments), int(f.decay), int(f.bias_correction), int(f.epsilon), int(f.update), int(f.products)}) {
    digits += std::to_string(choice);
  }
  return digits;
}

TEST(OptimizerFormulas, AdamIsTheWrittenSequenceInEachOfThem) {
  RoundingOracle oracle;
  ForEachFormula([&](const OptimizerFormula& formula) {
    const AdamScalars s = ScalarsFor(0.9f);
    Tensors expected;
    std::vector<Tensors> got(HostKernelNames().size());
    for (int step = 0; step < kSteps; ++step) {
      const std::vector<float> gradient = OrdinaryFloats(kNumel, 10 + step);
      for (int64_t i = 0; i < kNumel; ++i) {
        expected.set(i, Walk(oracle, formula).Adam(s, expected.at(i), gradient[i]));
      }
      for (size_t k = 0; k < got.size(); ++k) {
        Tensors& t = got[k];
        HostOpsWith(HostKernelNames()[k]).Adam(formula, s, t.p.data(), t.m.data(), t.v.data(), gradient.data(), kNumel);
        ASSERT_NO_FATAL_FAILURE(ExpectEqualBits(t, expected, HostKernelNames()[k] + " " + Text(formula)));
      }
    }
  });
}

TEST(OptimizerFormulas, OfTorchOnBothSidesOfALerp) {
  RoundingOracle oracle;
  for (const float beta1 : {0.9f, 0.5f, 0.3f, 0.0f}) {
    for (const DecayPosition decay : {DecayPosition::kBefore, DecayPosition::kGradient}) {
      const OptimizerFormula formula{.moments = MomentOrder::kLerp,
                                     .decay = decay,
                                     .bias_correction = BiasCorrection::kFolded,
                                     .update = UpdateOrder::kProductFirst};
      const AdamScalars s = ScalarsFor(beta1);
      Tensors expected, got;
      const std::vector<float> gradient = OrdinaryFloats(kNumel, 10);
      for (int64_t i = 0; i < kNumel; ++i) {
        expected.set(i, Walk(oracle, formula).Adam(s, expected.at(i), gradient[i]));
      }
      HostOps().Adam(formula, s, got.p.data(), got.m.data(), got.v.data(), gradient.data(), kNumel);
      ASSERT_NO_FATAL_FAILURE(ExpectEqualBits(got, expected, std::to_string(beta1)));
    }
  }
}

// With the default formula the general kernel is the AdamW that every engine has.
TEST(OptimizerFormulas, TheDefaultOneIsAdamW) {
  const AdamScalars s = ScalarsFor(0.9f);
  const AdamWScalars adamw{s.step_size, s.beta1, s.beta2, s.eps, s.weight_decay, s.correction1, s.correction2, s.clip};
  Tensors general, special;
  const std::vector<float> gradient = OrdinaryFloats(kNumel, 10);
  HostOps().Adam({}, s, general.p.data(), general.m.data(), general.v.data(), gradient.data(), kNumel);
  HostOps().AdamW(adamw, special.p.data(), special.m.data(), special.v.data(), gradient.data(), kNumel);
  ExpectEqualBits(general, special, "default formula");
}

TEST(OptimizerFormulas, LambIsTheWrittenSequence) {
  RoundingOracle oracle;
  const AdamScalars s = ScalarsFor(0.9f);
  const float step = 0.0123f;
  for (const OptimizerFormula formula : {OptimizerFormula{}, OptimizerFormula{.epsilon = EpsilonPosition::kInside,
                                                             .products = ProductRounding::kRounded}}) {
    for (const std::string& kernels : HostKernelNames()) {
      Tensors expected, got;
      const std::vector<float> gradient = OrdinaryFloats(kNumel, 10);
      std::vector<float> updates(kNumel);
      for (int64_t i = 0; i < kNumel; ++i) {
        Element e = expected.at(i);
        updates[i] = Walk(oracle, formula).LambUpdate(s, e, gradient[i]);
        expected.set(i, e);
      }
      SumOfSquares expected_weights, expected_updates, weights, squares;
      expected_weights.Add(expected.p.data(), kNumel);
      expected_updates.Add(updates.data(), kNumel);
      Ops& ops = HostOpsWith(kernels);
      ops.LambMoments(formula, s, &weights, &squares, got.p.data(), got.m.data(), got.v.data(), gradient.data(),
                      kNumel);
      EXPECT_EQ(weights.Value(), expected_weights.Value());
      EXPECT_EQ(squares.Value(), expected_updates.Value());
      for (int64_t i = 0; i < kNumel; ++i) {
        expected.p[i] = formula.products == ProductRounding::kFused
                            ? oracle.Fma(-step, updates[i], expected.p[i])
                            : oracle.Plus(oracle.Times(-step, updates[i]), expected.p[i]);
      }
      ops.LambApply(formula, s, step, got.p.data(), got.m.data(), got.v.data(), kNumel);
      ASSERT_NO_FATAL_FAILURE(ExpectEqualBits(got, expected, kernels));
    }
  }
}

TEST(OptimizerFormulas, SgdIsTheWrittenSequenceInEachOfThem) {
  RoundingOracle oracle;
  for (int code = 0; code < 2 * 2 * 2 * 2 * 2 * 2; ++code) {
    const OptimizerFormula formula{.moments = code & 1 ? MomentOrder::kLerp : MomentOrder::kFma,
                                   .products = code & 2 ? ProductRounding::kRounded : ProductRounding::kFused};
    const MomentumScalars s{.lr = 1e-2f,
                            .momentum = code & 4 ? 0.9f : 0.0f,
                            .weight_decay = code & 8 ? 0.1f : 0.0f,
                            .gradient_weight = 0.3f,
                            .nesterov = (code & 16) != 0,
                            .first = (code & 32) != 0,
                            .clip = 0.37f};
    Tensors expected;
    const std::vector<float> gradient = OrdinaryFloats(kNumel, 10);
    for (int64_t i = 0; i < kNumel; ++i) Walk(oracle, formula).Sgd(s, expected.p[i], expected.m[i], gradient[i]);
    for (const std::string& kernels : HostKernelNames()) {
      Tensors got;
      HostOpsWith(kernels).MomentumSgd(formula, s, got.p.data(), got.m.data(), gradient.data(), kNumel);
      ASSERT_NO_FATAL_FAILURE(ExpectEqualBits(got, expected, kernels + " " + std::to_string(code)));
    }
  }
}

TEST(OptimizerFormulas, ScaleIsAProduct) {
  RoundingOracle oracle;
  const std::vector<float> in = FiniteFloats(kNumel, 1);
  for (const std::string& kernels : HostKernelNames()) {
    std::vector<float> got = in;
    HostOpsWith(kernels).Scale(got.data(), 0x1.234566p-3f, kNumel);
    for (int64_t i = 0; i < kNumel; ++i) ASSERT_EQ(Bits(got[i]), Bits(oracle.Times(in[i], 0x1.234566p-3f)));
  }
}

}  // namespace
}  // namespace zerocts
