#include "conformance/session/coverage/coverage_minimums.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/contract/clause_for_test.hpp"
#include "conformance/contract/judge.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/for_test/test_session.hpp"
#include "conformance/session/property/random_cases.hpp"

namespace zerocts {
namespace {

TEST(CoverageMinimums, AreOneCaseInTwenty) {
  EXPECT_EQ(CoverageMinimumOf("uneven", 0), 1);
  EXPECT_EQ(CoverageMinimumOf("uneven", 1), 1);
  EXPECT_EQ(CoverageMinimumOf("uneven", 100), 5);
  EXPECT_EQ(CoverageMinimumOf("uneven", 101), 6);
  EXPECT_EQ(CoverageMinimumOf("past_caches", 2000), 1);
}

TEST(CoverageMinimums, AreMissedByARareFeatureOnly) {
  const Clause clause{.features = {"uneven", "scalar"}};
  EXPECT_TRUE(CoverageMinimumsOf(clause, {{"uneven", 5}, {"scalar", 9}}, 100, TestSettings()).met());
  EXPECT_FALSE(CoverageMinimumsOf(clause, {{"uneven", 4}, {"scalar", 9}}, 100, TestSettings()).met());
  EXPECT_FALSE(CoverageMinimumsOf(clause, {{"uneven", 5}}, 100, TestSettings()).met());
  EXPECT_FALSE(CoverageMinimumsOf(clause, {}, 0, TestSettings()).met());
}

TEST(CoverageMinimums, BecomeANeedWhenTheSubjectCannotDoIt) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.accumulation = false;
  settings.world_sizes = {1};
  const CoverageMinimums minimums =
      CoverageMinimumsOf({.features = {"accumulation", "uneven", "scalar"}}, {{"scalar", 1}}, 1, settings);
  EXPECT_TRUE(minimums.met());
  EXPECT_EQ(minimums.needs,
            (std::vector<std::string>{"accumulation needs: accumulation", "uneven needs: more than one rank"}));
}

TEST(CoverageMinimums, BecomeANeedWhenTheRunLeavesThemOut) {
  SessionSettings settings = TestSettings();
  settings.constraints = {HeldTo("overlap", {"off"}), HeldTo("optimizer", {"sgd"})};
  const CoverageMinimums minimums =
      CoverageMinimumsOf({.features = {"overlap", "adamw", "sgd"}}, {{"sgd", 1}}, 1, settings);
  EXPECT_TRUE(minimums.met());
  EXPECT_EQ(minimums.needs, (std::vector<std::string>{"overlap needs: a run without --overlap off",
                                                      "adamw needs: a run without --optimizer sgd"}));
}

TEST(CoverageMinimums, EveryFeatureThatIsNotPlainNeedsADeclaration) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities = PlainCapable();
  const std::pair<const char*, const char*> needs[] = {
      {"adam", "adam"},
      {"lamb", "lamb"},
      {"muon", "muon"},
      {"nesterov", "sgd_variants"},
      {"dampening", "sgd_variants"},
      {"clip_norm_one", "clip_norms 1"},
      {"clip_norm_infinity", "clip_norms inf"},
      {"clip_formula_torch", "clip_formulas torch"},
      {"clip_formula_above", "clip_formulas above"},
      {"clip_formula_deepspeed", "clip_formulas deepspeed"},
      {"clip_formula_deepspeed_fp64", "clip_formulas deepspeed_fp64"},
      {"clip_formula_deepspeed_reciprocal", "clip_formulas deepspeed_reciprocal"},
      {"mesh", "replicas"},
      {"sync_every_micro_batch", "gradient_sync every_micro_batch"},
      {"overlap", "overlap"},
      {"offload", "offload from stage 1 on"},
      {"bf16_accumulation", "accumulation_dtypes bf16"},
      {"bf16_reduction", "reduce_dtypes bf16"},
      {"frozen", "frozen"},
      {"thawed", "frozen"},
      {"missing_some", "missing_gradients"},
      {"missing_all", "missing_gradients"},
      {"tied", "tied"},
      {"buffer", "buffers"},
      {"mixed_precisions", "mixed_dtypes"},
      {"loss_scaling", "loss_scaling"},
      {"overflow", "loss_scaling"},
      {"dynamic_scale", "loss_scaling dynamic"},
      {"save", "checkpoint"},
      {"resume", "checkpoint"},
      {"resumed_change", "checkpoint"},
      {"resumed_scale", "checkpoint"},
      {"loaded_by_more", "checkpoint_reshard"},
      {"loaded_by_fewer", "checkpoint_reshard"},
      {"loaded_on_mesh", "checkpoint_reshard"}};
  for (const auto& [feature, capability] : needs) {
    EXPECT_EQ(MissingFor(feature, settings), std::string("needs: ") + capability) << feature;
  }
}

TEST(CoverageMinimums, WhoReducesAfterEachMicroBatchIsNotAskedToReduceOnce) {
  SessionSettings settings = TestSettings();
  EXPECT_EQ(MissingFor("sync_last_micro_batch", settings), "");
  settings.info.capabilities.gradient_sync = {GradientSync::kEveryMicroBatch, GradientSync::kLastMicroBatch};
  EXPECT_EQ(MissingFor("sync_last_micro_batch", settings), "");
  settings.info.capabilities.gradient_sync = {GradientSync::kEveryMicroBatch};
  EXPECT_EQ(MissingFor("sync_last_micro_batch", settings), "needs: gradient_sync last_micro_batch");
  settings.info.capabilities.accumulation = false;
  EXPECT_EQ(MissingFor("sync_last_micro_batch", settings), "needs: accumulation");
}

TEST(CoverageMinimums, TiedNamesInBf16AloneNeedADeclaredOrder) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.reduction_orders.clear();
  EXPECT_EQ(MissingFor("tied", settings), "");
  settings.precisions = {Precision::kBf16};
  EXPECT_EQ(MissingFor("tied", settings), "needs: fp32 or a declared reduction order");
  settings.info.capabilities.reduction_orders = {"probed"};
  EXPECT_EQ(MissingFor("tied", settings), "");
}

TEST(CoverageMinimums, AnOrderCountsInThePrecisionsThatHaveIt) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.ordered_dtypes = {Precision::kFp32};
  EXPECT_EQ(MissingFor("random_gradients", settings), "");
  EXPECT_EQ(MissingFor("bf16", settings), "");
  EXPECT_EQ(MissingFor("bf16", settings, Fidelity::kDeclaredOrder), "needs: a reduction order declared for bf16");
  settings.precisions = {Precision::kBf16};
  EXPECT_EQ(MissingFor("random_gradients", settings), "needs: a declared reduction order");
  EXPECT_EQ(MissingFor("bf16_reduction", settings), "needs: a reduction order that has a name");
  EXPECT_EQ(MissingFor("tied", settings), "needs: fp32 or a declared reduction order");
}

TEST(CoverageMinimums, WhatIsShownForTheLastTimeIsKnown) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.mixed_dtypes = false;
  const std::vector<Precision> precisions = {Precision::kFp32, Precision::kBf16, Precision::kFp32, Precision::kBf16};
  const Clause clause{.features = {"uneven", "random_gradients", "bf16"}};
  const auto last = [&] { return LastShown(clause, precisions, settings); };
  using Features = std::set<std::string>;
  EXPECT_EQ(last(), (std::vector<Features>{{}, {}, {}, {"uneven", "random_gradients", "bf16"}}));
  settings.info.capabilities.ordered_dtypes = {Precision::kFp32};
  EXPECT_EQ(last(), (std::vector<Features>{{}, {}, {"random_gradients"}, {"uneven", "bf16"}}));
}

TEST(CoverageMinimums, WhatSoManyRanksCanShow) {
  const Clause clause{.features = {"several_ranks", "tensor_shards", "multi_step"}};
  const auto shown = [&](int ranks) { return ShownBy(clause, Precision::kFp32, TestSettings(), ranks); };
  using Features = std::set<std::string>;
  EXPECT_EQ(shown(1), (Features{"multi_step"}));
  EXPECT_EQ(shown(2), (Features{"multi_step", "several_ranks"}));
  EXPECT_EQ(shown(4), (Features{"multi_step", "several_ranks", "tensor_shards"}));
  EXPECT_EQ(shown(0), shown(4));
}

/// One whose order is known in fp32 alone, as DeepSpeed's stages 2 and 3.
TEST(RandomCases, BeginWithWhatNoLaterConfigurationShows) {
  SessionSettings settings = TestSettings();
  Capabilities& can = settings.info.capabilities;
  can.mixed_dtypes = false;
  can.ordered_dtypes = {Precision::kFp32};
  const CaseSpace space = FindClauseCheck("C-ZERO-050").space();
  const FeatureCounts wanted = {
      {"accumulation", 1}, {"adamw", 1}, {"clip_active", 1}, {"momentum", 1}, {"random_gradients", 1}};
  const auto is_random = [&](uint64_t seed, const std::set<std::string>& urgent) {
    return RandomCases(space, {.world_size = 3}, can, seed, wanted, urgent).At(0).features.contains("random_gradients");
  };
  int by_chance = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    EXPECT_TRUE(is_random(seed, {"random_gradients", "bf16"})) << "seed " << seed;
    by_chance += is_random(seed, {});
  }
  EXPECT_LT(by_chance, 40);
}

TEST(RandomCases, AreDrawnOnceAndTellWhatIsWantedAfterThem) {
  const SessionSettings settings = TestSettings();
  const FeatureCounts wanted = {{"accumulation", 1}, {"several_ranks", 3}};
  RandomCases cases(FindClauseCheck("C-ZERO-001").space(), {.world_size = 3}, settings.info.capabilities, 7, wanted);
  EXPECT_EQ(cases.WantedAfter(0), wanted);
  EXPECT_EQ(cases.WantedAfter(1).at("several_ranks"), 2);
  const RandomCases::Drawn& second = cases.At(1);
  EXPECT_EQ(&cases.At(1), &second);
  EXPECT_EQ(cases.WantedAfter(40), FeatureCounts());
}

TEST(CoverageMinimums, ACheckpointGoesFromMeshToMeshOfSizesWithACommonDivisor) {
  SessionSettings settings = TestSettings();
  EXPECT_EQ(MissingFor("loaded_on_mesh", settings), "");  // 2 and 4
  settings.world_sizes = {3, 4};
  EXPECT_EQ(MissingFor("loaded_on_mesh", settings), "needs: two world sizes that can have as many replicas");
  EXPECT_EQ(MissingFor("loaded_by_more", settings), "");
  settings.world_sizes = {3, 4, 6};
  EXPECT_EQ(MissingFor("loaded_on_mesh", settings), "");
  settings.info.capabilities.max_world_size = 4;
  EXPECT_EQ(MissingFor("loaded_on_mesh", settings), "needs: two world sizes that can have as many replicas");
}

TEST(CoverageMinimums, AFormulaWithoutWordsCountsUnderSelfParityAlone) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.own_formulas = {OptimizerKind::kAdamW};
  settings.info.capabilities.own_models = true;
  EXPECT_EQ(MissingFor("adamw", settings), "needs: adamw by a formula that has words");
  EXPECT_EQ(MissingFor("model_on_text", settings), "needs: models by bits");
  EXPECT_EQ(MissingFor("real_training", settings), "needs: models within a bound");
  EXPECT_EQ(MissingFor("adamw", settings, Fidelity::kSelfParity), "");
  EXPECT_EQ(MissingFor("model_on_text", settings, Fidelity::kSelfParity), "");
  settings.info.capabilities.reduction_orders = {"probed"};
  EXPECT_EQ(MissingFor("random_gradients", settings), "");
  EXPECT_EQ(MissingFor("random_gradients", settings, Fidelity::kSelfParity), "needs: the reduction order rank or tree");
}

/// Enough cases of each feature are drawn from every clause's space, at the default number of cases.
class CoverageMinimumsOfClause : public testing::TestWithParam<Clause> {};

INSTANTIATE_TEST_SUITE_P(Contract, CoverageMinimumsOfClause, testing::ValuesIn(AllClauses()),
                         [](const auto& info) { return NameForTest(info.param); });

TEST_P(CoverageMinimumsOfClause, AreReachedUnderFiveSeeds) {
  const Clause& clause = GetParam();
  const CaseSpace space = FindClauseCheck(clause.id).space();
  const SessionSettings settings = TestSettings();
  std::vector<Configuration> configurations = ConfigurationsOf(settings);
  if (space.bounded())
    std::erase_if(configurations,
                  [](const Configuration& configuration) { return configuration.precision != Precision::kFp32; });
  if (space.split_layers)
    std::erase_if(configurations, [](const Configuration& configuration) { return configuration.world_size == 1; });
  const std::vector<int> shares = Shares(settings.cases_per_clause, configurations.size());
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    FeatureCounts features;
    int64_t cases = 0;
    for (size_t s = 0; s < configurations.size(); ++s) {
      const CaseConditions conditions = ConditionsOf(configurations[s], settings);
      ASSERT_EQ(Missing(space, conditions, settings.info.capabilities), "");
      const auto generator = CasesOf(space, conditions, settings.info.capabilities);
      rc::Random random(SeedOf(seed, clause.id, configurations[s]));
      for (int i = 0; i < shares[s]; ++i, ++cases) {
        const Case c = generator(random.split(), 100 * i / shares[s]).value();
        for (const std::string& feature : FeaturesOf(c)) ++features[feature];
      }
    }
    for (const MinimumCount& minimum : CoverageMinimumsOf(clause, features, cases, settings).counts) {
      if (IsCostly(minimum.feature)) continue;  // a run searches its draws for it
      EXPECT_GE(minimum.count, minimum.needed)
          << minimum.feature << " under seed " << seed << " in " << cases << " cases";
    }
    if (space.bounded() || space.parity() || space.gradients == std::vector{GradientSource::kModel}) continue;
    EXPECT_GE(20 * features["subnormal"], cases) << "under seed " << seed;
    EXPECT_GT(features["huge"], 0) << "under seed " << seed;
  }
}

}  // namespace
}  // namespace zerocts
