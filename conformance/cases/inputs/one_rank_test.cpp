#include "conformance/cases/inputs/one_rank.hpp"

#include <gtest/gtest.h>

#include "conformance/cases/inputs/given_gradient.hpp"
#include "conformance/cases/whole/case_json.hpp"

namespace zerocts {
namespace {

Case OfRanks(int world_size, int micro_batches, const std::string& order) {
  Case c;
  c.experiment.parameters = {{"a", {5}, 0}};
  c.experiment.gradients = GradientSource::kUniform;
  c.experiment.world_size = world_size;
  c.experiment.micro_batches = micro_batches;
  c.reduction_order = order;
  return c;
}

bool Adds(int world_size, int micro_batches, const std::string& order) {
  return AddsAsOnOneRank(OfRanks(world_size, micro_batches, order));
}

TEST(OneRank, HasTheMicroBatchesOfAll) {
  for (const GradientSource source : {GradientSource::kUniform, GradientSource::kIndexCoded, GradientSource::kOneHot}) {
    Case c = OfRanks(3, 2, "any");
    c.experiment.gradients = source;
    c.replicas = 3;
    const Case alone = OnOneRank(c);
    EXPECT_EQ(Problem(alone), "");
    EXPECT_EQ(alone.world_size(), 1);
    for (int64_t g = 0; g < 6; ++g) {
      std::vector<float> of_rank(5), of_one(5);
      FillGivenGradient(c, 1, g, 0, of_rank.data());
      FillGivenGradient(alone, 1, g, 0, of_one.data());
      EXPECT_EQ(of_rank, of_one) << ToString(source) << g;
    }
  }
}

TEST(OneRank, HasTheLayersOfAllTensorRanks) {
  Case c = OfRanks(3, 2, "tree");
  c.tensor = 2;
  const Case alone = OnOneRank(c);
  EXPECT_EQ(alone.world_size(), 1);
  EXPECT_EQ(alone.experiment.micro_batches, 6);
}

TEST(OneRank, OrdersThatOneRankHasToo) {
  for (const int W : {2, 3, 4, 5}) {
    EXPECT_TRUE(Adds(W, 1, "rank") && Adds(W, 1, "tree") && Adds(W, 2, "tree") && Adds(W, 4, "tree")) << W;
    EXPECT_FALSE(Adds(W, 2, "rank") || Adds(W, 1, "ring") || Adds(W, 1, "probed") || Adds(W, 1, "any")) << W;
  }
  EXPECT_FALSE(Adds(3, 3, "tree"));
}

TEST(OneRank, WhatElseShowsInSums) {
  Case meshed = OfRanks(6, 1, "rank"), synced = OfRanks(3, 2, "tree"), narrow = OfRanks(3, 1, "rank");
  meshed.replicas = 3;
  synced.gradient_sync = GradientSync::kEveryMicroBatch;
  narrow.experiment.reduction = Precision::kBf16;
  for (Case c : {meshed, synced, narrow}) {
    EXPECT_FALSE(AddsAsOnOneRank(c)) << c;
    c.experiment.gradients = GradientSource::kIndexCoded;
    EXPECT_EQ(AddsAsOnOneRank(c), c.experiment.reduction == Precision::kFp32) << c;
  }
}

}  // namespace
}  // namespace zerocts
