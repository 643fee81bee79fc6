#include "conformance/cases/case/tensor_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace zerocts {
namespace {

using Part = std::vector<Interval>;

Case SplitCase(const ModelSpec& model, int tensor) {
  Case c;
  c.tensor = tensor;
  c.experiment.model = model;
  c.experiment.parameters = ModelParameters(model);
  return c;
}

/// By name.
Part PartOf(const Case& c, const std::string& name, int tensor_rank) {
  const auto parts = PartsOfTensorRank(c, tensor_rank);
  for (size_t p = 0; p < parts.size(); ++p) {
    if (c.experiment.parameters[p].name == name) return parts[p];
  }
  throw std::out_of_range(name);
}

/// hidden0 [3, 4] is cut along its rows, hidden1 [2, 3] along its columns, logits [5, 2] along its rows.
TEST(TensorParts, OfAnMlpAreRowsAndColumnsInTurn) {
  const Case c = SplitCase(MlpSpec{.vocab = 5, .context = 2, .embedding = 2, .hidden = {3, 2}}, 2);
  EXPECT_EQ(PartOf(c, "hidden0.weight", 0), (Part{{0, 4}}));
  EXPECT_EQ(PartOf(c, "hidden0.weight", 1), (Part{{4, 12}}));
  EXPECT_EQ(PartOf(c, "hidden0.bias", 1), (Part{{1, 3}}));
  EXPECT_EQ(PartOf(c, "hidden1.weight", 0), (Part{{0, 1}, {3, 4}}));
  EXPECT_EQ(PartOf(c, "hidden1.weight", 1), (Part{{1, 3}, {4, 6}}));
  EXPECT_EQ(PartOf(c, "hidden1.bias", 0), (Part{{0, 2}}));
  EXPECT_EQ(PartOf(c, "hidden1.bias", 1), (Part{{0, 2}}));
  EXPECT_EQ(PartOf(c, "logits.weight", 1), (Part{{4, 10}}));
  EXPECT_TRUE(CutsUnevenly(c));
}

TEST(TensorParts, OfMoreRanksThanElementsMayBeEmpty) {
  const Case c = SplitCase(MlpSpec{.vocab = 4, .context = 1, .embedding = 1, .hidden = {1}}, 2);
  EXPECT_EQ(PartOf(c, "hidden0.weight", 0), Part{});
  EXPECT_EQ(PartOf(c, "hidden0.weight", 1), (Part{{0, 1}}));
}

TEST(TensorParts, HaveShapesOfTheirOwn) {
  const Case c = SplitCase(GptSpec{.vocab = 5, .context = 2, .layers = 1, .heads = 3, .width = 6}, 3);
  for (const int tensor_rank : {0, 2}) {
    const auto parts = PartsOfTensorRank(c, tensor_rank);
    const auto parameters = ParametersOfTensorRank(c, tensor_rank);
    const auto replicated = AreReplicated(c);
    for (size_t p = 0; p < parts.size(); ++p) {
      int64_t numel = 0;
      for (const Interval& interval : parts[p]) numel += interval.end - interval.begin;
      EXPECT_EQ(parameters[p].numel(), numel) << parameters[p].name;
      EXPECT_EQ(replicated[p], numel == c.experiment.parameters[p].numel()) << parameters[p].name;
    }
    const auto qkv = std::ranges::find(parameters, "block0.qkv.weight", &ParameterSpec::name);
    ASSERT_NE(qkv, parameters.end());
    EXPECT_EQ(qkv->shape, (std::vector<int64_t>{6, 6})) << "two rows of each of q, k and v";
  }
}

/// hidden0 has 7 rows: 3, 3 and 1. logits has 4: 2, 2 and none.
TEST(TensorParts, MayAllBeCeilAsFarAsThereAreElements) {
  Case c = SplitCase(MlpSpec{.vocab = 4, .context = 1, .embedding = 1, .hidden = {7, 2}}, 3);
  c.tensor_parts = PartSizes::kCeil;
  EXPECT_EQ(PartOf(c, "hidden0.weight", 0), (Part{{0, 3}}));
  EXPECT_EQ(PartOf(c, "hidden0.weight", 2), (Part{{6, 7}}));
  EXPECT_EQ(PartOf(c, "hidden1.weight", 2), (Part{{6, 7}, {13, 14}}));
  EXPECT_EQ(PartOf(c, "logits.weight", 1), (Part{{4, 8}}));
  EXPECT_EQ(PartOf(c, "logits.weight", 2), Part{});
}

/// The rows of q, k and v stand one behind the other, two of each: a rank has one of each.
TEST(TensorParts, OfQKAndVAreCutOneByOne) {
  const Case c = SplitCase(
      GptSpec{.vocab = 4, .context = 1, .layers = 1, .heads = 2, .width = 2, .slice_order = {.slices = 2}}, 2);
  const std::string qkv = "block0.qkv.weight";
  EXPECT_EQ(PartOf(c, qkv, 0), (Part{{0, 2}, {4, 6}, {8, 10}}));
  EXPECT_EQ(PartOf(c, qkv, 1), (Part{{2, 4}, {6, 8}, {10, 12}}));
  EXPECT_FALSE(CutsUnevenly(c));
}

/// Four heads of one channel ask two: of q a rank has two rows, of k and of v one each.
TEST(TensorParts, OfGroupedQueriesHaveTheKeysAndValuesOfTheirHeads) {
  const Case c = SplitCase(
      GptSpec{
          .vocab = 4, .context = 1, .layers = 1, .heads = 4, .kv_heads = 2, .width = 4, .slice_order = {.slices = 2}},
      2);
  EXPECT_EQ(PartOf(c, "block0.qkv.bias", 0), (Part{{0, 2}, {4, 5}, {6, 7}}));
  EXPECT_EQ(PartOf(c, "block0.qkv.bias", 1), (Part{{2, 4}, {5, 6}, {7, 8}}));
  EXPECT_EQ(PartOf(c, "block0.qkv.weight", 1), (Part{{8, 16}, {20, 24}, {28, 32}}));
  EXPECT_EQ(ParametersOfTensorRank(c, 1)[4].shape, (std::vector<int64_t>{4, 4}));
  EXPECT_FALSE(CutsUnevenly(c));
}

TEST(TensorParts, OfOneTensorRankAreEverything) {
  Case c = SplitCase(MlpSpec{.vocab = 5, .context = 2, .embedding = 2, .hidden = {3}}, 1);
  for (const ParameterSpec& parameter : c.experiment.parameters)
    EXPECT_EQ(PartOf(c, parameter.name, 0), (Part{{0, parameter.numel()}}));
  EXPECT_FALSE(CutsUnevenly(c));
  c.experiment.model.reset();
  EXPECT_EQ(PartsOfTensorRank(c, 0).size(), c.experiment.parameters.size());
}

}  // namespace
}  // namespace zerocts
