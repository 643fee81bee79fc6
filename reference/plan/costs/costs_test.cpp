// Costs against the figures of the systems that this project grew from, and by hand.
#include "reference/plan/costs/costs.hpp"

#include <gtest/gtest.h>

#include "reference/plan/for_test/plans.hpp"

namespace zerocts::plan {
namespace {

/// The stages of the paper: 0 divides nothing, 3 everything.
Plan OfStage(int stage, Division division, int shards, Model model) {
  Plan plan = DividedBy(std::move(division), shards, std::move(model));
  plan.sharding_of = {stage >= 3 ? 0 : Plan::kWhole, stage >= 2 ? 0 : Plan::kWhole, stage >= 1 ? 0 : Plan::kWhole};
  return plan;
}

TEST(Costs, AreEntrenarsMomentsOf350MillionParameters) {
  const int64_t expected[][2] = {{1, 2'800'000'000}, {2, 1'400'000'000}, {4, 700'000'000}};
  for (const auto& [ranks, bytes] : expected) {
    const Plan plan = OfStage(1, Flat(Even{}), static_cast<int>(ranks), TensorsOf({{350'000'000}}));
    for (const RankCosts& rank : CostsOf(plan, {}).ranks) EXPECT_EQ(rank.moments, bytes);
  }
}

TEST(Costs, AreRefusedBeyond64Bits) {
  const Plan plan = OfStage(1, Each(Owners{{0}}), 1 << 14, TensorsOf({{int64_t{1} << 50}}));
  EXPECT_THROW(CostsOf(plan, {}), std::invalid_argument);
}

TEST(Costs, AreEntrenarsMomentsOfAMillionParameters) {
  EXPECT_EQ(CostsOf(OfStage(0, Flat(Even{}), 4, TensorsOf({{1'000'000}})), {}).ranks[0].moments, 8'000'000);
  EXPECT_EQ(CostsOf(OfStage(1, Flat(Even{}), 4, TensorsOf({{1'000'000}})), {}).ranks[0].moments, 2'000'000);
}

/// CS336, assignment 2: 1.7e9 parameters in fp32 with AdamW on 2 GPUs over NVLink of 900 GB/s.
TEST(Costs, AreThoseOfCs336sXlModel) {
  const Model xl = TensorsOf({{1'700'000'000}});
  const CostNumbers numbers{.gradient_sync = GradientSync::kAllReduce, .link = Link{.inside = {900e9, 0}}};
  const Costs none = CostsOf(OfStage(0, Flat(Even{}), 2, xl), numbers);
  EXPECT_EQ(none.fullest().held(), 27'200'000'000);
  EXPECT_EQ(none.fullest().parameters, 6'800'000'000);
  EXPECT_EQ(none.fullest().gradients, 6'800'000'000);
  EXPECT_EQ(none.fullest().moments, 13'600'000'000);

  const Costs sharded = CostsOf(OfStage(1, Flat(Even{}), 2, xl), numbers);
  EXPECT_EQ(sharded.fullest().held(), 20'400'000'000);
  EXPECT_EQ(sharded.fullest().moments, 6'800'000'000);
  EXPECT_DOUBLE_EQ(sharded.SavingOf(sharded.fullest()), 0.25);
  const Traffic& published = sharded.ranks[0].of(Collective::kParameters);
  EXPECT_EQ(published.sent + published.received, 6'800'000'000);
  EXPECT_NEAR(published.seconds, 7.6e-3, 0.05e-3);

  const Costs gradients_too = CostsOf(OfStage(2, Flat(Even{}), 2, xl), {});
  EXPECT_DOUBLE_EQ(gradients_too.SavingOf(gradients_too.fullest()), 0.375);
}

/// axonml's memory_estimate: params * 4 / W for parameters and gradients each, * 8 / W for moments, whole where the
/// strategy keeps them.
int64_t AxonmlsEstimate(int64_t params, int stage, int64_t world_size) {
  const int64_t bytes = params * 4;
  return (stage >= 3 ? bytes / world_size : bytes) + (stage >= 2 ? bytes / world_size : bytes) +
         (stage >= 1 ? bytes * 2 / world_size : bytes * 2);
}

TEST(Costs, AreAxonmlsEstimateWherePartsAreEqual) {
  for (const int stage : {0, 2, 3}) {
    const Plan plan = OfStage(stage, Each(Ceil{}), 4, TensorsOf({{8}, {4, 4}}));
    EXPECT_EQ(CostsOf(plan, {}).ranks[0].held(), AxonmlsEstimate(24, stage, 4));
  }
}

/// It forgets that each of its shards is padded to ceil(n / W), and that hybrid shards are divided inside a host only.
TEST(Costs, AreMoreThanAxonmlsEstimateWhereItForgets) {
  const Plan padded = OfStage(3, Each(Ceil{}), 4, TensorsOf({{5}, {1}}));
  EXPECT_EQ(AxonmlsEstimate(6, 3, 4), 6 + 6 + 12);
  EXPECT_EQ(CostsOf(padded, {}).ranks[0].held(), (2 + 1) * 16);

  Plan hybrid = OfStage(3, Each(Ceil{}), 4, TensorsOf({{8}}));
  hybrid.mesh = {{{"replicate", 2}, {"shard", 2}}};
  EXPECT_EQ(AxonmlsEstimate(8, 3, 4), 2 * 16);
  EXPECT_EQ(CostsOf(hybrid, {}).ranks[0].held(), 4 * 16);
}

TEST(Costs, OfAStepAreThoseOfThePaper) {
  const Model model = TensorsOf({{60}});
  const auto moved = [&](int stage) {
    const RankCosts rank = CostsOf(OfStage(stage, Flat(Even{}), 3, model), {}).ranks[0];
    int64_t sent = 0;
    for (const Traffic& traffic : rank.traffic) sent += traffic.sent;
    return sent / 4;
  };
  EXPECT_EQ(moved(0), 2 * 60 * 2 / 3);
  EXPECT_EQ(moved(1), 2 * 60 * 2 / 3);
  EXPECT_EQ(moved(2), 2 * 60 * 2 / 3);
  EXPECT_EQ(moved(3), 3 * 60 * 2 / 3);
}

TEST(Costs, BytesSentAreBytesReceived) {
  Plan plan = OfStage(3, Each(Ceil{}), 6, TensorsOf({{7}, {11, 2}}));
  plan.mesh = {{{"replicate", 2}, {"shard", 3}}};
  const CostNumbers numbers{.wire_bytes = 2, .micro_batches = 3, .reduce_each_micro_batch = true};
  for (const Collective collective : kCollectives) {
    int64_t sent = 0, received = 0;
    for (const RankCosts& rank : CostsOf(plan, numbers).ranks)
      sent += rank.of(collective).sent, received += rank.of(collective).received;
    EXPECT_EQ(sent, received) << NameOf(collective);
    EXPECT_GT(sent, 0);
  }
}

TEST(Costs, OfMixedPrecisionCountMastersBucketsAndStaging) {
  Plan plan = OfStage(3, Flat(Even{}), 2, TensorsOf({{100}}));
  plan.model[0].dtype = Dtype::kBf16;
  const RankCosts rank =
      CostsOf(plan, {.gradient_bytes = 4, .wire_bytes = 2, .master_bytes = 4, .bucket_elements = 10}).ranks[1];
  EXPECT_EQ(rank.parameters, 50 * 2);
  EXPECT_EQ(rank.gradients, 50 * 4);
  EXPECT_EQ(rank.master, 50 * 4);
  EXPECT_EQ(rank.moments, 50 * 8);
  EXPECT_EQ(rank.buckets, 10 * 4 + 10 * 2);
  EXPECT_EQ(rank.staging, 10 * 2);
  EXPECT_EQ(rank.of(Collective::kGradients).sent, 50 * 2);
}

TEST(Costs, OfWaitingGradientsAreCounted) {
  const Plan plan = OfStage(2, Each(Ceil{}), 2, TensorsOf({{7}}));
  EXPECT_EQ(CostsOf(plan, {.micro_batches = 2}).ranks[0].accumulation, 4 * 4);
  EXPECT_EQ(CostsOf(plan, {.micro_batches = 2, .reduce_each_micro_batch = true}).ranks[0].accumulation, 0);
}

TEST(Costs, OfFrozenTensorsAreParametersAlone) {
  Plan plan = OfStage(1, Flat(Even{}), 2, TensorsOf({{8}, {100}}));
  plan.model[1].frozen = true;
  plan.shardings[0].divisions[0].tensors = {{0, 1}};
  const RankCosts rank = CostsOf(plan, {}).ranks[0];
  EXPECT_EQ(rank.parameters, 108 * 4);
  EXPECT_EQ(rank.gradients, 8 * 4);
  EXPECT_EQ(rank.of(Collective::kParameters).sent, 4 * 4);
}

TEST(Costs, TimeIsThatOfTheSlowerWire) {
  const Plan plan = OfStage(1, Flat(Even{}), 4, TensorsOf({{4'000'000}}));
  const Link link{.inside = {100e9, 0}, .between = Wire{10e9, 1e-6}, .ranks_per_host = 2};
  const Traffic gather = CostsOf(plan, {.link = link}).ranks[3].of(Collective::kParameters);
  EXPECT_EQ(gather.sent, 12'000'000);
  // 2 of 3 partners are on the other host: two thirds of 24 MB at 10 GB/s, and two messages.
  EXPECT_DOUBLE_EQ(gather.seconds, 2.0 / 3 * (24e6 / 10e9 + 3 * 1e-6));
}

TEST(Costs, AreRefusedWhereTheEngineDecides) {
  Plan plan = OfStage(3, Each(Ceil{}), 2, TensorsOf({{7}}));
  plan.shardings.push_back({{"shard"}, {Each(Even{})}});
  plan.shardings[1].divisions[0].tensors = {{0, 1}};
  plan.sharding_of[0] = 1;
  EXPECT_THROW(CostsOf(plan, {}), std::invalid_argument);
  EXPECT_THROW(CostsOf(OfStage(3, Each(Ceil{}), 2, TensorsOf({{7}})), {.moment_bytes = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts::plan
