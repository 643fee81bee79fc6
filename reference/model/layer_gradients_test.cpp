// LayerNorm and causal attention of ops/ against derivatives: values in double, gradients by central differences.
#include <gtest/gtest.h>

#include "reference/model/gradient_check.hpp"
#include "reference/model/test_tensors.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {
namespace {

/// Each output within the running error of the formula; in bf16 (kBf16 oracle) with the roundings of operands.
template <typename UnitOracle>
void ExpectOutputs(const UnitOracle& oracle, const oracle::Tensors<double>& parameters, const Floats& in,
                   const Floats& out) {
  const oracle::Vector<double> wide = ToDouble(in);
  const oracle::Vector<Measured> expected = oracle.template Forward<Measured>(
      oracle::As<Measured>(parameters), oracle::Vector<Measured>(wide.begin(), wide.end()));
  ASSERT_EQ(out.size(), expected.size());
  for (size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], expected[i].value, expected[i].error) << i;
}

TEST(LayerNorm, HasTheValuesAndTheGradientOfItsFormula) {
  constexpr auto kEps = static_cast<float>(oracle::LayerNorm::kEpsilon);
  for (const auto& [R, C] : std::initializer_list<std::pair<int64_t, int64_t>>{{1, 2}, {3, 7}, {5, 70}, {70, 3}}) {
    const Floats in = RandomFloats(R * C, 1, 2.0f), weight = RandomFloats(C, 2), bias = RandomFloats(C, 3),
                 upstream = RandomFloats(R * C, 4);
    Floats out(R * C, NAN), mean(R, NAN), rstd(R, NAN), downstream(R * C, NAN);
    std::vector<Floats> gradients(2, Floats(C, NAN));
    HostOps().LayerNorm(out.data(), mean.data(), rstd.data(), in.data(), weight.data(), bias.data(), kEps, R, C);
    HostOps().LayerNormGradient(downstream.data(), gradients[0].data(), gradients[1].data(), upstream.data(), in.data(),
                                mean.data(), rstd.data(), weight.data(), R, C);
    const oracle::LayerNorm oracle{R, C};
    const oracle::Tensors<double> parameters = {ToDouble(weight), ToDouble(bias)};
    ExpectOutputs(oracle, parameters, in, out);
    oracle::ExpectGradients(oracle, parameters, ToDouble(in), ToDouble(upstream), gradients, downstream);
  }
}

void ExpectAttention(const AttentionSizes& sizes, Precision precision) {
  const auto [B, T, heads, C, kv_heads] = sizes;
  const bool round_operands = precision == Precision::kBf16;
  const int64_t row = C / heads * (heads + 2 * kv_heads);
  const Floats in = RandomFloats(B * T * row, 1, 1.5f), given = RandomFloats(B * T * C, 2);
  Floats qkv = in, upstream = given, out(B * T * C, NAN), probabilities(B * heads * T * T, NAN),
         gradient(B * T * row, NAN);
  HostOps().CausalAttention(out.data(), probabilities.data(), qkv.data(), round_operands, sizes);
  HostOps().CausalAttentionGradient(gradient.data(), upstream.data(), qkv.data(), probabilities.data(), round_operands,
                                    sizes);
  const oracle::CausalAttention oracle{B, T, heads, C, precision, kv_heads};
  ExpectOutputs(oracle, {}, in, out);
  oracle::ExpectGradients(oracle, {}, ToDouble(in), ToDouble(given), {}, gradient);
}

TEST(CausalAttention, HasTheValuesAndTheGradientOfItsFormula) {
  for (const AttentionSizes& sizes : {AttentionSizes{1, 1, 1, 2}, {2, 3, 2, 4}, {1, 8, 1, 5}, {1, 19, 2, 6}}) {
    ExpectAttention(sizes, Precision::kFp32);
  }
}

TEST(CausalAttention, OfGroupsHasTheValuesAndTheGradientOfItsFormula) {
  for (const AttentionSizes& sizes : {AttentionSizes{1, 1, 3, 6, 1}, {2, 5, 4, 8, 2}, {1, 7, 6, 6, 3}}) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) ExpectAttention(sizes, precision);
  }
}

TEST(CausalAttention, InBf16StaysWithinTheRoundingOfItsOperands) {
  for (const AttentionSizes& sizes : {AttentionSizes{2, 3, 2, 4}, {1, 19, 2, 6}}) {
    ExpectAttention(sizes, Precision::kBf16);
  }
}

}  // namespace
}  // namespace zerocts
