#include <gtest/gtest.h>

#include "reference/model/causal_attention.hpp"
#include "reference/model/embedding.hpp"
#include "reference/model/gelu.hpp"
#include "reference/model/gradient_check.hpp"
#include "reference/model/layer_norm.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/residual.hpp"
#include "reference/model/sequence.hpp"
#include "reference/model/softmax_cross_entropy.hpp"
#include "reference/model/test_tensors.hpp"

namespace zerocts {
namespace {

/// One unit forward and backward on `in` and `upstream` with random parameters, judged by finite differences of its
/// oracle.
template <typename UnitOracle>
void CheckUnit(Unit& unit, const UnitOracle& oracle, const MicroBatch& batch, Floats in, Floats upstream,
               int64_t downstream_numel) {
  std::vector<Floats> parameters, gradients;
  std::vector<const float*> parameter_pointers;
  std::vector<float*> gradient_pointers;
  oracle::Tensors<double> parameters_in_double;
  for (const auto& [spec, initial, cut, expert] : unit.parameters()) {
    parameters.push_back(RandomFloats(spec.numel(), 10 + parameters.size()));
    gradients.emplace_back(spec.numel(), NAN);  // has to be overwritten
    parameters_in_double.push_back(ToDouble(parameters.back()));
  }
  for (size_t p = 0; p < parameters.size(); ++p) {
    parameter_pointers.push_back(parameters[p].data());
    gradient_pointers.push_back(gradients[p].data());
  }
  const std::vector<double> in_in_double = ToDouble(in), upstream_in_double = ToDouble(upstream);
  unit.Forward(HostOps(), batch, parameter_pointers.data(), in.data());
  const float* downstream =
      unit.Backward(HostOps(), batch, parameter_pointers.data(), gradient_pointers.data(), upstream.data());
  oracle::ExpectGradients(oracle, parameters_in_double, in_in_double, upstream_in_double, gradients,
                          Floats(downstream, downstream + downstream_numel));
}

TEST(Embedding, HasTheGradientOfFiniteDifferences) {
  const int64_t B = 3, T = 2, C = 5, V = 4;
  const std::vector<int32_t> tokens = {0, 3, 3, 3, 1, 0};  // repeated ones add up, 2 gets none
  Embedding unit("embedding", {V, T, C});
  CheckUnit(unit, oracle::Embedding{B, T, C, V, tokens}, {tokens.data(), nullptr, B}, {}, RandomFloats(B * T * C, 1),
            0);
}

TEST(Linear, HasTheGradientOfFiniteDifferences) {
  for (const int64_t B : {1, 3, 70}) {  // 70: more than one value per lane in the bias sum
    const int64_t I = 5, O = 7;
    Linear unit("linear", {I, O}, Precision::kFp32);
    CheckUnit(unit, oracle::Linear{B, I, O}, {nullptr, nullptr, B}, RandomFloats(B * I, 1), RandomFloats(B * O, 2),
              B * I);
  }
}

TEST(Linear, OfSeveralRowsPerSequenceWithoutBiasHasTheGradientOfFiniteDifferences) {
  const int64_t B = 2, T = 3, I = 5, O = 4;
  Linear unit("head", {.I = I, .O = O, .rows = T, .bias = false}, Precision::kFp32);
  CheckUnit(unit, oracle::Linear{B * T, I, O, Precision::kFp32, false}, {nullptr, nullptr, B},
            RandomFloats(B * T * I, 1), RandomFloats(B * T * O, 2), B * T * I);
}

TEST(TokenPositionEmbedding, HasTheGradientOfFiniteDifferences) {
  const int64_t B = 3, T = 2, C = 5, V = 4;
  const std::vector<int32_t> tokens = {0, 3, 3, 3, 1, 0};
  const auto unit = SequenceOf(std::make_unique<Embedding>("token_embedding", EmbeddingShape{V, T, C}),
                               std::make_unique<PositionEmbedding>(T, C));
  CheckUnit(*unit, oracle::TokenPositionEmbedding{B, T, C, V, tokens}, {tokens.data(), nullptr, B}, {},
            RandomFloats(B * T * C, 1), 0);
}

TEST(LayerNorm, HasTheGradientOfFiniteDifferences) {
  for (const int64_t C : {1, 3, 70}) {
    const int64_t B = 2, T = 3;
    LayerNorm unit("norm", T, C);
    CheckUnit(unit, oracle::LayerNorm{B * T, C}, {nullptr, nullptr, B}, RandomFloats(B * T * C, 1, 3.0f),
              RandomFloats(B * T * C, 2), B * T * C);
  }
}

TEST(CausalAttention, HasTheGradientOfFiniteDifferences) {
  for (const int64_t kv_heads : {3, 1}) {
    const AttentionSizes sizes{.B = 2, .T = 5, .heads = 3, .C = 6, .kv_heads = kv_heads};
    CausalAttention unit(sizes, Precision::kFp32);
    CheckUnit(unit, oracle::CausalAttention{2, 5, 3, 6, Precision::kFp32, kv_heads}, {nullptr, nullptr, 2},
              RandomFloats(sizes.qkv_numel(), 1, 2.0f), RandomFloats(sizes.out_numel(), 2), sizes.qkv_numel());
  }
}

TEST(CausalAttention, SeesNoTokenOfTheFuture) {
  const int64_t T = 6, C = 4;
  const MicroBatch batch{nullptr, nullptr, 1};
  const auto run = [&](Floats qkv) {
    CausalAttention unit({.B = 1, .T = T, .heads = 2, .C = C}, Precision::kFp32);
    const float* out = unit.Forward(HostOps(), batch, nullptr, qkv.data());
    return Floats(out, out + T * C);
  };
  const Floats qkv = RandomFloats(T * 3 * C, 1);
  for (int64_t t = 1; t < T; ++t) {
    Floats other = qkv;
    for (int64_t i = t * 3 * C; i < T * 3 * C; ++i) other[i] += 1.0f;  // tokens t, t + 1, ..
    const Floats before = run(qkv), after = run(other);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + t * C, after.begin())) << "tokens before " << t;
    EXPECT_FALSE(std::equal(before.begin() + t * C, before.end(), after.begin() + t * C)) << "tokens from " << t;
  }
}

TEST(Residual, HasTheGradientOfFiniteDifferences) {
  const int64_t B = 3, C = 4;
  Residual unit(std::make_unique<Linear>("linear", LinearShape{C, C}, Precision::kFp32), C, Precision::kFp32);
  const oracle::Residual with_linear{std::make_shared<oracle::Chain>(oracle::Chain{{{oracle::Linear{B, C, C}, 2}}})};
  CheckUnit(unit, with_linear, {nullptr, nullptr, B}, RandomFloats(B * C, 1), RandomFloats(B * C, 2), B * C);
}

TEST(Residual, KeepsItsUpstreamWhenTheBranchRoundsInBf16) {
  const int64_t B = 2, C = 3;
  const Floats zeros(C * C), upstream = RandomFloats(B * C, 2);
  const float* parameters[] = {zeros.data()};
  Floats gradient(C * C), in = RandomFloats(B * C, 1), given = upstream;
  float* gradients[] = {gradient.data()};
  auto linear = std::make_unique<Linear>("linear", LinearShape{.I = C, .O = C, .bias = false}, Precision::kBf16);
  Residual unit(std::move(linear), C, Precision::kBf16);
  const MicroBatch batch{nullptr, nullptr, B};
  unit.Forward(HostOps(), batch, parameters, in.data());
  const float* downstream = unit.Backward(HostOps(), batch, parameters, gradients, given.data());
  EXPECT_EQ(Floats(downstream, downstream + B * C), upstream);  // a branch of weight 0 adds nothing
}

TEST(Gelu, HasTheGradientOfFiniteDifferences) {
  const int64_t B = 3, C = 50;
  Gelu unit(C);
  CheckUnit(unit, oracle::Gelu{}, {nullptr, nullptr, B}, RandomFloats(B * C, 1, 4.0f), RandomFloats(B * C, 2), B * C);
}

TEST(SoftmaxCrossEntropy, HasTheGradientOfFiniteDifferences) {
  const int64_t B = 3, V = 11;
  const std::vector<int32_t> targets = {0, 10, 4};
  SoftmaxCrossEntropy unit(1, V);
  const Floats mean(B, 1.0f / B);  // the objective is the mean loss
  CheckUnit(unit, oracle::SoftmaxCrossEntropy{B, V, targets}, {nullptr, targets.data(), B},
            RandomFloats(B * V, 1, 3.0f), mean, B * V);
}

// In bf16 every operand of a product is rounded, and products are those of fp32: the same unit in fp32 on rounded
// operands, bit for bit.
TEST(Linear, InBf16IsFp32OnRoundedOperands) {
  const int64_t B = 3, I = 5, O = 7;
  Floats weight = RandomFloats(O * I, 1), bias = RandomFloats(O, 2), in = RandomFloats(B * I, 3),
         upstream = RandomFloats(B * O, 4);
  HostOps().RoundToBf16(weight.data(), O * I);
  HostOps().RoundToBf16(bias.data(), O);
  Floats rounded_in = in, rounded_upstream = upstream;
  for (float& x : rounded_in) x = RoundToBf16(x);
  for (float& x : rounded_upstream) x = RoundToBf16(x);
  ASSERT_NE(rounded_in, in);
  ASSERT_NE(rounded_upstream, upstream);

  const MicroBatch batch{nullptr, nullptr, B};
  const float* parameters[] = {weight.data(), bias.data()};
  const auto run = [&](Precision precision, Floats x, Floats dy) {
    Linear unit("linear", {I, O}, precision);
    std::vector<Floats> results = {Floats(O * I), Floats(O)};
    float* gradients[] = {results[0].data(), results[1].data()};
    const float* out = unit.Forward(HostOps(), batch, parameters, x.data());
    const float* downstream = unit.Backward(HostOps(), batch, parameters, gradients, dy.data());
    results.emplace_back(out, out + B * O);
    results.emplace_back(downstream, downstream + B * I);
    return results;
  };
  EXPECT_EQ(run(Precision::kBf16, in, upstream), run(Precision::kFp32, rounded_in, rounded_upstream));
}

}  // namespace
}  // namespace zerocts
