// AdamW and SGD against a scalar walk: each operation in double, rounded to float, which for + * / and the root of
// floats is the same as rounding once (53 >= 2 * 24 + 2); fma by std::fma.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

float Times(double a, double b) { return static_cast<float>(a * b); }
float Plus(double a, double b) { return static_cast<float>(a + b); }
float Over(double a, double b) { return static_cast<float>(a / b); }
float Root(double a) { return static_cast<float>(std::sqrt(a)); }

constexpr int64_t kKernelNumel = 1003;

TEST(OptimizerKernels, AdamWIsTheWrittenSequence) {
  const AdamWScalars s{1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.271f, 0.002997f, 0.37f};
  for (const std::string& kernels : HostKernelNames()) {
    std::vector<float> p = OrdinaryFloats(kKernelNumel, 1), m = OrdinaryFloats(kKernelNumel, 2),
                       v = OrdinaryFloats(kKernelNumel, 3);
    for (float& x : v) x = std::abs(x);
    std::vector<float> expected_p = p, expected_m = m, expected_v = v;
    for (int step = 0; step < 5; ++step) {
      const std::vector<float> gradient = OrdinaryFloats(kKernelNumel, 10 + step);
      HostOpsWith(kernels).AdamW(s, p.data(), m.data(), v.data(), gradient.data(), kKernelNumel);
      for (int64_t i = 0; i < kKernelNumel; ++i) {
        const float g = Times(s.clip, gradient[i]);
        expected_m[i] = std::fma(s.beta1, expected_m[i], Times(Plus(1.0, -s.beta1), g));
        expected_v[i] = std::fma(s.beta2, expected_v[i], Times(Times(Plus(1.0, -s.beta2), g), g));
        const float u =
            Over(Over(expected_m[i], s.bias_correction1), Plus(Root(Over(expected_v[i], s.bias_correction2)), s.eps));
        expected_p[i] = std::fma(-s.lr, std::fma(s.weight_decay, expected_p[i], u), expected_p[i]);
      }
      ASSERT_EQ(CanonicalBitsOf(m), CanonicalBitsOf(expected_m)) << kernels;
      ASSERT_EQ(CanonicalBitsOf(v), CanonicalBitsOf(expected_v)) << kernels;
      ASSERT_EQ(CanonicalBitsOf(p), CanonicalBitsOf(expected_p)) << kernels;
    }
  }
}

TEST(OptimizerKernels, SgdIsTheWrittenSequence) {
  const SgdScalars s{1e-2f, 0.9f, 0.01f, 0.37f};
  for (const std::string& kernels : HostKernelNames()) {
    std::vector<float> p = OrdinaryFloats(kKernelNumel, 1), u = OrdinaryFloats(kKernelNumel, 2);
    std::vector<float> expected_p = p, expected_u = u;
    for (int step = 0; step < 5; ++step) {
      const std::vector<float> gradient = OrdinaryFloats(kKernelNumel, 10 + step);
      HostOpsWith(kernels).Sgd(s, p.data(), u.data(), gradient.data(), kKernelNumel);
      for (int64_t i = 0; i < kKernelNumel; ++i) {
        const float d = std::fma(s.weight_decay, expected_p[i], Times(s.clip, gradient[i]));
        expected_u[i] = std::fma(s.momentum, expected_u[i], d);
        expected_p[i] = std::fma(-s.lr, expected_u[i], expected_p[i]);
      }
      ASSERT_EQ(CanonicalBitsOf(u), CanonicalBitsOf(expected_u)) << kernels;
      ASSERT_EQ(CanonicalBitsOf(p), CanonicalBitsOf(expected_p)) << kernels;
    }
  }
}

TEST(OptimizerKernels, AClipOfOneLeavesTheGradientUntouched) {
  const SgdScalars plain{1.0f, 0.0f, 0.0f, 1.0f};  // p = 0 - g
  const std::vector<float> gradient = FiniteFloats(kKernelNumel, 1);
  std::vector<float> p(kKernelNumel), u(kKernelNumel);
  HostOps().Sgd(plain, p.data(), u.data(), gradient.data(), kKernelNumel);
  for (int64_t i = 0; i < kKernelNumel; ++i) ASSERT_EQ(p[i], -gradient[i]);
}

}  // namespace
}  // namespace zerocts
