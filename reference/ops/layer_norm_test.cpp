// LayerNorm, for every kernel table, against the scalar walk of its definition.
#include <gtest/gtest.h>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/ops/layer_walks_for_test.hpp"

namespace zerocts {
namespace {

using walk::Tensor;

struct NormShape {
  int64_t R, C;
};

/// Rows and channels around a vector, 64 lanes, a strip of columns, a block of 1024 and several blocks.
constexpr NormShape kNormShapes[] = {{1, 1},    {3, 2},    {0, 5},   {7, 17},   {64, 64},   {65, 65},
                                     {63, 127}, {5, 128},  {2, 129}, {70, 300}, {1025, 33}, {3, 1024},
                                     {2, 3073}, {5127, 7}, {17, 16}, {33, 80},  {16, 2064}};

void ExpectTheWalk(NormShape shape, const Tensor& in, const Tensor& weight, const Tensor& bias,
                   const Tensor& upstream) {
  const auto [R, C] = shape;
  constexpr float kEps = 1e-5f;
  const walk::Normalization forward = walk::LayerNorm(in, weight, bias, kEps, R, C);
  const walk::NormalizationGradient backward =
      walk::LayerNormGradient(upstream, in, forward.mean, forward.rstd, weight, R, C);
  for (const auto& [kernels, threads] : walk::KernelsAndThreads()) {
    SCOPED_TRACE(kernels + ", " + std::to_string(threads) + " threads, " + std::to_string(R) + " rows of " +
                 std::to_string(C));
    Ops& ops = HostOpsWith(kernels, threads);
    Tensor out(R * C, 99.0f), mean(R, 99.0f), rstd(R, 99.0f);
    ops.LayerNorm(out.data(), mean.data(), rstd.data(), in.data(), weight.data(), bias.data(), kEps, R, C);
    ASSERT_EQ(CanonicalBitsOf(mean), CanonicalBitsOf(forward.mean));
    ASSERT_EQ(CanonicalBitsOf(rstd), CanonicalBitsOf(forward.rstd));
    ASSERT_EQ(CanonicalBitsOf(out), CanonicalBitsOf(forward.out));

    Tensor downstream(R * C, 99.0f), weight_gradient(C, 99.0f), bias_gradient(C, 99.0f), in_place = upstream;
    const auto gradient = [&](float* into, const float* from) {
      ops.LayerNormGradient(into, weight_gradient.data(), bias_gradient.data(), from, in.data(), mean.data(),
                            rstd.data(), weight.data(), R, C);
      ASSERT_EQ(CanonicalBitsOf(weight_gradient), CanonicalBitsOf(backward.weight));
      ASSERT_EQ(CanonicalBitsOf(bias_gradient), CanonicalBitsOf(backward.bias));
    };
    gradient(downstream.data(), upstream.data());
    ASSERT_EQ(CanonicalBitsOf(downstream), CanonicalBitsOf(backward.downstream));
    gradient(in_place.data(), in_place.data());
    ASSERT_EQ(CanonicalBitsOf(in_place), CanonicalBitsOf(backward.downstream));
  }
}

TEST(LayerNorm, IsTheWrittenOutWalk) {
  for (const NormShape shape : kNormShapes) {
    for (const auto& floats : {OrdinaryFloats, FiniteFloats, WildFloats}) {
      ExpectTheWalk(shape, floats(shape.R * shape.C, 1), floats(shape.C, 2), floats(shape.C, 3),
                    floats(shape.R * shape.C, 4));
    }
  }
}

TEST(LayerNorm, GivesRowsOfMeanZeroAndVarianceOne) {
  constexpr int64_t R = 5, C = 300;
  Tensor in = OrdinaryFloats(R * C, 1), out(R * C), mean(R), rstd(R);
  for (float& x : in) x = 3.0f + 5.0f * x;
  const Tensor ones(C, 1.0f), zeros(C, 0.0f);
  HostOps().LayerNorm(out.data(), mean.data(), rstd.data(), in.data(), ones.data(), zeros.data(), 1e-5f, R, C);
  for (int64_t r = 0; r < R; ++r) {
    double sum = 0.0, squares = 0.0;
    for (int64_t c = 0; c < C; ++c) sum += out[r * C + c];
    for (int64_t c = 0; c < C; ++c) squares += double{out[r * C + c]} * out[r * C + c];
    EXPECT_NEAR(sum / C, 0.0, 1e-6);
    EXPECT_NEAR(squares / C, 1.0, 1e-5);
  }
}

TEST(LayerNorm, ARowOfEqualValuesGivesTheBiasAndNanStaysInItsRow) {
  constexpr int64_t R = 3, C = 70;
  Tensor in(R * C, 0.25f), out(R * C), mean(R), rstd(R);
  in[C + 5] = std::numeric_limits<float>::quiet_NaN();
  const Tensor weight = OrdinaryFloats(C, 1), bias = OrdinaryFloats(C, 2);
  for (const std::string& kernels : HostKernelNames()) {
    HostOpsWith(kernels).LayerNorm(out.data(), mean.data(), rstd.data(), in.data(), weight.data(), bias.data(), 1e-5f,
                                   R, C);
    for (int64_t c = 0; c < C; ++c) {
      ASSERT_EQ(out[c], bias[c]);
      ASSERT_TRUE(std::isnan(out[C + c]));
      ASSERT_EQ(out[2 * C + c], bias[c]);
    }
  }
}

}  // namespace
}  // namespace zerocts
