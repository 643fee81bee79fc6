#include "reference/model/slice_order.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/model/linear.hpp"
#include "reference/model/test_tensors.hpp"

namespace zerocts {

void PrintTo(const SliceOrder& order, std::ostream* out) { *out << ToString(order); }

namespace {

TEST(SlicesOf, CutsWhereElementsTimesSliceOverSlicesSays) {
  EXPECT_EQ(SlicesOf(7, 1, 3), (std::vector<Slice>{{{0, 2}}, {{2, 4}}, {{4, 7}}}));
  EXPECT_EQ(SlicesOf(12, 3, 2), (std::vector<Slice>{{{0, 2}, {4, 6}, {8, 10}}, {{2, 4}, {6, 8}, {10, 12}}}));
}

/// A rank's part is that of its slices, whatever divides evenly.
TEST(PartOfElements, IsThePartsOfItsParts) {
  for (int64_t m = 0; m < 40; ++m) {
    for (const int64_t ranks : {1, 2, 3, 4, 6, 12}) {
      for (int64_t rank = 0; rank < ranks; ++rank) {
        const IndexRange part = PartOfElements(m, rank, ranks);
        EXPECT_EQ(part.begin, PartOfElements(m, rank * (12 / ranks), 12).begin);
        EXPECT_EQ(part.end, PartOfElements(m, (rank + 1) * (12 / ranks) - 1, 12).end);
      }
    }
  }
}

/// Divides 7 elements into 3 parts, 4 into 3 and 2 into 4.
TEST(PartOfElements, InCeilAreAsLargeAsThereAreElements) {
  const auto ends = [](int64_t m, int64_t count) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < count; ++i) {
      const IndexRange part = PartOfElements(m, i, count, PartSizes::kCeil);
      EXPECT_EQ(part.begin, all.empty() ? 0 : all.back());
      all.push_back(part.end);
    }
    return all;
  };
  EXPECT_EQ(ends(7, 3), (std::vector<int64_t>{3, 6, 7}));
  EXPECT_EQ(ends(4, 3), (std::vector<int64_t>{2, 4, 4}));
  EXPECT_EQ(ends(2, 4), (std::vector<int64_t>{1, 2, 2, 2}));
}

TEST(PartSizes, ReadBack) {
  for (const PartSizes sizes : {PartSizes::kEven, PartSizes::kCeil}) {
    EXPECT_EQ(PartSizesFromString(ToString(sizes)), sizes);
  }
  EXPECT_THROW(PartSizesFromString("odd"), std::invalid_argument);
}

TEST(SlicesOf, JoinsRangesThatTouch) { EXPECT_EQ(SlicesOf(12, 3, 1), (std::vector<Slice>{{{0, 12}}})); }

TEST(SlicesOf, CutsEachPartByItself) {
  EXPECT_EQ(SlicesOf(10, {3, 1, 1}, 2), (std::vector<Slice>{{{0, 3}, {6, 7}, {8, 9}}, {{3, 6}, {7, 8}, {9, 10}}}));
}

TEST(CutParts, StandSideBySide) {
  EXPECT_EQ(CutParts(3).Of(6), (std::vector<IndexRange>{{0, 2}, {2, 4}, {4, 6}}));
  EXPECT_EQ(CutParts({3, 1, 1}).Of(10), (std::vector<IndexRange>{{0, 6}, {6, 8}, {8, 10}}));
  EXPECT_EQ(CutParts().Of(7), (std::vector<IndexRange>{{0, 7}}));
  EXPECT_EQ(CutParts(3), (CutParts{1, 1, 1}));
}

TEST(SlicesOf, LeavesOutSlicesWithoutElements) {
  EXPECT_EQ(SlicesOf(2, 1, 5), (std::vector<Slice>{{{0, 1}}, {{1, 2}}}));
  EXPECT_EQ(SlicesOf(0, 1, 3), (std::vector<Slice>{{{0, 0}}}));
}

TEST(SliceOrder, HasAName) {
  EXPECT_EQ(ToString(SliceOrder{.slices = 12}), "slices(12)");
  EXPECT_EQ(ToString(SliceOrder{.slices = 2, .rounding = Rounding::kBf16}), "slices(2)~bf16");
}

TEST(SliceRounding, ReadsBack) {
  for (const Rounding rounding : {Rounding::kFp32, Rounding::kBf16}) {
    EXPECT_EQ(SliceRoundingFromString(ToString(rounding)), rounding);
  }
  EXPECT_THROW(SliceRoundingFromString("fp16"), std::invalid_argument);
}

std::string CutsOf(const ModelSpec& model) {
  const std::vector<ParameterSpec> parameters = ModelParameters(model);
  const std::vector<TensorCut> cuts = ModelTensorCuts(model);
  std::string text;
  for (size_t p = 0; p < cuts.size(); ++p) {
    if (cuts[p].replicated()) continue;
    text += parameters[p].name + " " + std::to_string(cuts[p].dimension) + "/";
    for (const int64_t width : cuts[p].parts.widths) text += std::to_string(width);
    text += ", ";
  }
  return text;
}

TEST(ModelTensorCuts, CutRowsOfColumnParallelAndColumnsOfRowParallelLayers) {
  EXPECT_EQ(CutsOf(MlpSpec{.hidden = {4, 5}}),
            "hidden0.weight 0/1, hidden0.bias 0/1, hidden1.weight 1/1, logits.weight 0/1, logits.bias 0/1, ");
}

TEST(ModelTensorCuts, LeaveATiedHeadWhole) {
  const std::string block =
      "block0.qkv.weight 0/111, block0.qkv.bias 0/111, block0.attention_out.weight 1/1, block0.mlp_in.weight 0/1, "
      "block0.mlp_in.bias 0/1, block0.mlp_out.weight 1/1, ";
  EXPECT_EQ(CutsOf(GptSpec{.layers = 1}), block);
  EXPECT_EQ(CutsOf(GptSpec{.layers = 1, .tied = false}), block + "head 0/1, ");
}

TEST(ModelTensorCuts, TellHowMuchWiderQueriesAreThanKeysAndValues) {
  const std::string cuts = CutsOf(GptSpec{.layers = 1, .heads = 6, .kv_heads = 2, .width = 12});
  EXPECT_EQ(cuts.find("block0.qkv.weight 0/311, block0.qkv.bias 0/311, block0.attention_out.weight 1/1, "), 0u) << cuts;
}

// --- a layer with that order

constexpr int64_t kR = 4, kI = 7, kO = 12;  // rows, inputs, outputs

struct LayerData {
  Floats weight = RandomFloats(kO * kI, 1), bias = RandomFloats(kO, 2), in = RandomFloats(kR * kI, 3),
         upstream = RandomFloats(kR * kO, 4);
};

struct LayerResults {
  Floats out, downstream, weight_gradient;
};

LayerResults RunLayer(const LinearShape& shape) {
  LayerData data;
  Linear unit("linear", shape, Precision::kFp32);
  const MicroBatch batch{nullptr, nullptr, kR};
  const float* parameters[] = {data.weight.data(), data.bias.data()};
  LayerResults results{.weight_gradient = Floats(kO * kI, NAN)};
  Floats bias_gradient(kO, NAN);
  float* gradients[] = {results.weight_gradient.data(), bias_gradient.data()};
  const float* out = unit.Forward(HostOps(), batch, parameters, data.in.data());
  results.out.assign(out, out + kR * kO);
  const float* downstream = unit.Backward(HostOps(), batch, parameters, gradients, data.upstream.data());
  results.downstream.assign(downstream, downstream + kR * kI);
  return results;
}

LinearShape ShapeWith(TensorSplit split, const SliceOrder& order, int64_t parts = 1) {
  return {.I = kI, .O = kO, .split = split, .order = order, .parts = parts};
}

/// The definition: a chain per range, ranges and then slices from left to right. term(k): the factors of product
/// k.
template <typename Factors>
float SumBySlices(const std::vector<Slice>& slices, bool round, Factors factors) {
  const auto rounded = [round](float x) { return round ? RoundToBf16(x) : x; };
  float sum = 0.0f;
  for (size_t s = 0; s < slices.size(); ++s) {
    float of_slice = 0.0f;
    for (size_t i = 0; i < slices[s].size(); ++i) {
      float chain = 0.0f;
      for (int64_t k = slices[s][i].begin; k < slices[s][i].end; ++k) {
        const auto [a, b] = factors(k);
        chain = std::fma(a, b, chain);
      }
      of_slice = i == 0 ? chain : of_slice + chain;
    }
    of_slice = rounded(of_slice);
    sum = s == 0 ? of_slice : rounded(sum + of_slice);
  }
  return sum;
}

Floats OutputsBySlices(const SliceOrder& order) {
  const LayerData data;
  const auto slices = SlicesOf(kI, 1, order.slices);
  Floats out;
  for (int64_t r = 0; r < kR; ++r) {
    for (int64_t o = 0; o < kO; ++o) {
      out.push_back(SumBySlices(slices, order.rounding == Rounding::kBf16,
                                [&](int64_t k) { return std::pair(data.in[r * kI + k], data.weight[o * kI + k]); }) +
                    data.bias[o]);
    }
  }
  return out;
}

Floats DownstreamBySlices(const SliceOrder& order, int64_t parts) {
  const LayerData data;
  const auto slices = SlicesOf(kO, parts, order.slices);
  Floats downstream;
  for (int64_t r = 0; r < kR; ++r) {
    for (int64_t i = 0; i < kI; ++i) {
      downstream.push_back(SumBySlices(slices, order.rounding == Rounding::kBf16, [&](int64_t k) {
        return std::pair(data.upstream[r * kO + k], data.weight[k * kI + i]);
      }));
    }
  }
  return downstream;
}

class LinearInSlices : public testing::TestWithParam<SliceOrder> {};
INSTANTIATE_TEST_SUITE_P(Orders, LinearInSlices,
                         testing::Values(SliceOrder{}, SliceOrder{2}, SliceOrder{3}, SliceOrder{4}, SliceOrder{12},
                                         SliceOrder{1, Rounding::kBf16}, SliceOrder{3, Rounding::kBf16}));

TEST_P(LinearInSlices, SumsInputsThatAreSplitInForwardAlone) {
  const LayerResults plain = RunLayer(ShapeWith(TensorSplit::kInputs, {})),
                     sliced = RunLayer(ShapeWith(TensorSplit::kInputs, GetParam()));
  EXPECT_EQ(sliced.out, OutputsBySlices(GetParam()));
  EXPECT_EQ(sliced.downstream, plain.downstream);
  EXPECT_EQ(sliced.weight_gradient, plain.weight_gradient);
}

TEST_P(LinearInSlices, SumsOutputsThatAreSplitInBackwardAlone) {
  for (const int64_t parts : {1, 3}) {
    const LayerResults plain = RunLayer(ShapeWith(TensorSplit::kOutputs, {})),
                       sliced = RunLayer(ShapeWith(TensorSplit::kOutputs, GetParam(), parts));
    EXPECT_EQ(sliced.downstream, DownstreamBySlices(GetParam(), parts)) << parts;
    EXPECT_EQ(sliced.out, plain.out);
    EXPECT_EQ(sliced.weight_gradient, plain.weight_gradient);
  }
}

/// The control: data whose sums tell orders apart.
TEST(LinearInSlices, HasOtherBitsThanInOne) {
  const SliceOrder three{3};
  EXPECT_NE(OutputsBySlices(three), OutputsBySlices({}));
  EXPECT_NE(DownstreamBySlices(three, 1), DownstreamBySlices({}, 1));
  EXPECT_NE(DownstreamBySlices(three, 3), DownstreamBySlices(three, 1));
  EXPECT_NE(OutputsBySlices({3, Rounding::kBf16}), OutputsBySlices(three));
}

}  // namespace
}  // namespace zerocts
