// Gradients of what every position uses, where sequence parallelism splits positions, against their definition.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/model/layer_norm.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/test_tensors.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/numerics/lane_tree.hpp"

namespace zerocts {

void PrintTo(const SliceOrder& order, std::ostream* out);

namespace {

constexpr int64_t kB = 3, kT = 7, kC = 5;
constexpr int64_t kRows = kB * kT;

/// The definition for one element: terms[b * T + t]. Slice s is its positions of sequence 0, 1, ..; each sequence is
/// summed alone, then sequences and then slices are added from left to right. A slice of all positions is one sum.
float SumOverPositions(const Floats& terms, int64_t T, const SliceOrder& order) {
  const auto rounded = [&](float x) { return order.rounding == Rounding::kBf16 ? RoundToBf16(x) : x; };
  const int64_t B = std::ssize(terms) / T;
  float sum = NAN;
  bool first = true;
  for (int64_t s = 0; s < order.slices; ++s) {
    const int64_t begin = T * s / order.slices, numel = T * (s + 1) / order.slices - begin;
    if (numel == 0) continue;
    float of_slice = LaneTreeSum(terms.data() + begin, numel == T ? B * T : numel);
    for (int64_t b = 1; b < B && numel < T; ++b) of_slice += LaneTreeSum(terms.data() + b * T + begin, numel);
    of_slice = rounded(of_slice);
    sum = first ? of_slice : rounded(sum + of_slice);
    first = false;
  }
  return sum;
}

/// Applies SumOverPositions to each channel; term(row, c).
template <typename Term>
Floats SumsBySlices(int64_t B, int64_t T, const SliceOrder& order, Term term) {
  Floats sums;
  for (int64_t c = 0; c < kC; ++c) {
    Floats terms;
    for (int64_t row = 0; row < B * T; ++row) terms.push_back(term(row, c));
    sums.push_back(SumOverPositions(terms, T, order));
  }
  return sums;
}

struct NormResults {
  Floats downstream, weight_gradient, bias_gradient;
  bool operator==(const NormResults&) const = default;
};

NormResults RunNorm(int64_t B, int64_t T, RowSum sum) {
  const MicroBatch batch{nullptr, nullptr, B};
  const Floats weight = RandomFloats(kC, 1), bias = RandomFloats(kC, 2);
  Floats in = RandomFloats(B * T * kC, 3), upstream = RandomFloats(B * T * kC, 4);
  const float* parameters[] = {weight.data(), bias.data()};
  NormResults results{.weight_gradient = Floats(kC, NAN), .bias_gradient = Floats(kC, NAN)};
  float* gradients[] = {results.weight_gradient.data(), results.bias_gradient.data()};
  LayerNorm norm("norm", T, kC, std::move(sum));
  norm.Forward(HostOps(), batch, parameters, in.data());
  const float* downstream = norm.Backward(HostOps(), batch, parameters, gradients, upstream.data());
  results.downstream.assign(downstream, downstream + B * T * kC);
  return results;
}

NormResults NormBySlices(int64_t B, int64_t T, const SliceOrder& order) {
  const Floats in = RandomFloats(B * T * kC, 3), upstream = RandomFloats(B * T * kC, 4), ones(kC, 1.0f), zeros(kC);
  Floats normalized(in.size()), mean(B * T), rstd(B * T);
  HostOps().LayerNorm(normalized.data(), mean.data(), rstd.data(), in.data(), ones.data(), zeros.data(), 1e-5f, B * T,
                      kC);
  return {RunNorm(B, T, OverRows(T)).downstream,
          SumsBySlices(B, T, order,
                       [&](int64_t row, int64_t c) { return upstream[row * kC + c] * normalized[row * kC + c]; }),
          SumsBySlices(B, T, order, [&](int64_t row, int64_t c) { return upstream[row * kC + c]; })};
}

Floats BiasGradientOf(LinearShape shape) {
  const MicroBatch batch{nullptr, nullptr, kB};
  const Floats weight = RandomFloats(kC * 2, 1), bias = RandomFloats(kC, 2);
  Floats in = RandomFloats(kRows * 2, 3), upstream = RandomFloats(kRows * kC, 4), weight_gradient(kC * 2, NAN),
         bias_gradient(kC, NAN);
  const float* parameters[] = {weight.data(), bias.data()};
  float* gradients[] = {weight_gradient.data(), bias_gradient.data()};
  shape.I = 2;
  shape.O = kC;
  shape.rows = kT;
  Linear layer("linear", shape, Precision::kFp32);
  layer.Forward(HostOps(), batch, parameters, in.data());
  layer.Backward(HostOps(), batch, parameters, gradients, upstream.data());
  return bias_gradient;
}

Floats BiasBySlices(const SliceOrder& order) {
  const Floats upstream = RandomFloats(kRows * kC, 4);
  return SumsBySlices(kB, kT, order, [&](int64_t row, int64_t c) { return upstream[row * kC + c]; });
}

class PositionsInSlices : public testing::TestWithParam<SliceOrder> {};
INSTANTIATE_TEST_SUITE_P(Orders, PositionsInSlices,
                         testing::Values(SliceOrder{}, SliceOrder{2}, SliceOrder{3}, SliceOrder{4}, SliceOrder{12},
                                         SliceOrder{1, Rounding::kBf16}, SliceOrder{3, Rounding::kBf16}));

TEST_P(PositionsInSlices, SumTheGradientsOfANorm) {
  for (const int64_t B : {1, 3}) {
    for (const int64_t T : {int64_t{1}, int64_t{2}, kT, int64_t{70}}) {
      const NormResults expected = NormBySlices(B, T, GetParam()), got = RunNorm(B, T, OverPositions(GetParam(), T));
      EXPECT_EQ(got.downstream, expected.downstream) << B << " x " << T;
      EXPECT_EQ(got.weight_gradient, expected.weight_gradient) << B << " x " << T;
      EXPECT_EQ(got.bias_gradient, expected.bias_gradient) << B << " x " << T;
    }
  }
}

TEST_P(PositionsInSlices, SumTheBiasGradientOfARowParallelLayerAlone) {
  const Floats plain = BiasGradientOf({});
  EXPECT_EQ(BiasGradientOf({.split = TensorSplit::kInputs, .order = GetParam(), .sequence_parallel = true}),
            BiasBySlices(GetParam()));
  EXPECT_EQ(BiasGradientOf({.split = TensorSplit::kInputs, .order = GetParam()}), plain);
  EXPECT_EQ(BiasGradientOf({.order = GetParam(), .sequence_parallel = true}), plain) << "column-parallel";
}

/// The control: data whose sums tell orders apart.
TEST(PositionsInSlices, HaveOtherBitsThanInOne) {
  const SliceOrder three{3}, rounded{3, Rounding::kBf16};
  EXPECT_NE(NormBySlices(kB, kT, three).weight_gradient, NormBySlices(kB, kT, {}).weight_gradient);
  EXPECT_NE(BiasBySlices(three), BiasBySlices({}));
  EXPECT_NE(BiasBySlices(three), BiasBySlices({2}));
  EXPECT_NE(BiasBySlices(rounded), BiasBySlices(three));
}

/// One sum serves micro-batches of any size.
TEST(RowSum, FollowsTheSizeOfTheMicroBatch) {
  RowSum sum = OverPositions({3}, kT);
  for (const int64_t B : {1, 3, 2}) {
    const Floats terms = RandomFloats(B * kT, 5);
    float out = NAN;
    const auto products = [&](float* sums, const IndexRange& rows) {
      HostOps().BiasGradient(sums, terms.data() + rows.begin, rows.numel(), 1);
    };
    sum.Evaluate(HostOps(), {nullptr, nullptr, B}, products, &out, 1);
    EXPECT_EQ(out, SumOverPositions(terms, kT, {3})) << B;
  }
}

}  // namespace
}  // namespace zerocts
