// Cases ask a subject only for what it declares, and for what can be judged then.
#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/draws/shapes.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/inputs/one_rank.hpp"
#include "conformance/cases/whole/features.hpp"

namespace zerocts {
namespace {

TEST(Cases, AskOnlyForWhatIsDeclared) {
  Capabilities little;
  little.stages = {0, 1};
  little.param_dtypes = {Precision::kFp32};
  little.optimizers = {OptimizerKind::kSgd};
  little.max_world_size = 4;
  const CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, little, 500)) {
    EXPECT_EQ(c.replicas, 1);
    EXPECT_EQ(c.gradient_sync, GradientSync::kLastMicroBatch);
    EXPECT_EQ(c.overlap, Overlap::kAny);
    EXPECT_EQ(c.offload, Offload::kNone);
    EXPECT_EQ(c.experiment.roles, ParameterRoles{});
    EXPECT_EQ(c.experiment.loss_scaling, LossScaling{});
    EXPECT_EQ(c.experiment.reduction, Precision::kFp32);
    EXPECT_EQ(c.experiment.clip_norm, NormKind::kTwo);
    EXPECT_TRUE(c.experiment.planted.empty());
    EXPECT_LE(c.stage, 1);
    EXPECT_EQ(c.experiment.micro_batches, 1);
    EXPECT_EQ(c.experiment.groups.size(), 1u);
    EXPECT_TRUE(c.experiment.changes.empty());
    EXPECT_EQ(c.experiment.max_norm, 0);
    EXPECT_EQ(c.bucket_cap_bytes, 0u);
    EXPECT_EQ(c.experiment.optimizer, OptimizerKind::kSgd);
    EXPECT_TRUE(IsExact(c.experiment.gradients));
    EXPECT_EQ(c.reduction_order, "any");
    EXPECT_EQ(c.plan, "");
    EXPECT_FALSE(c.observe_gradient);
  }
}

TEST(Cases, AreInTheSubjectsFormulaAndOfShapesThatItTakes) {
  Capabilities can = EverythingCapable();
  can.formulas[OptimizerKind::kAdamW] = {.decay = DecayPosition::kBefore};
  can.scalars = can.empty_parameters = false;
  can.inexact_norm = true;
  can.host_computes_models = false;
  can.models = {};
  CaseSpace space{.clause = "C-ZERO-060", .shapes = ShapeStyle::kDegenerate};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.gradients = {GradientSource::kPythagorean, GradientSource::kModel};
  space.vary = {"clipping"};
  Draws draws(7);
  for (int i = 0; i < 200; ++i) {
    const auto c = DrawFittingCase(space, {.world_size = 3}, can, 50, draws);
    ASSERT_TRUE(c);
    EXPECT_EQ(c->experiment.formula, FormulaOf(can, c->experiment.optimizer));
    EXPECT_EQ(c->experiment.gradients, GradientSource::kPythagorean);
    for (const ParameterSpec& p : c->experiment.parameters) EXPECT_TRUE(p.numel() > 0 && !p.shape.empty()) << *c;
  }
  space.gradients = {GradientSource::kIndexCoded};
  for (int i = 0; i < 100; ++i) {
    const Experiment e = DrawFittingCase(space, {.world_size = 3}, can, 50, draws)->experiment;
    EXPECT_TRUE(e.max_norm == 0.0f || e.gradients == GradientSource::kPythagorean);
  }
}

TEST(Cases, OfRealTrainingAreMlpsInAnyOrder) {
  Capabilities can = EverythingCapable();
  can.models = {"mlp"};
  can.inexact_models = true;
  can.host_computes_models = false;
  can.reduction_orders.clear();
  for (const Case& c : Drawn(BoundedSpace(), {3, Precision::kFp32, {}}, can, 50)) {
    EXPECT_EQ(c.fidelity, Fidelity::kBounded);
    EXPECT_EQ(c.reduction_order, "any");
    EXPECT_EQ(KindOf(*c.experiment.model), "mlp");
    EXPECT_TRUE(FeaturesOf(c).contains("real_training"));
  }
}

TEST(Cases, LeaveOutModelsWhoseBitsNobodyKnows) {
  Capabilities can = EverythingCapable();
  can.inexact_models = true;
  CaseSpace space = ModelSpace();
  space.gradients.push_back(GradientSource::kUniform);
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, can, 100)) {
    EXPECT_EQ(c.experiment.gradients, GradientSource::kUniform);
  }
}

CaseSpace ParitySpace() {
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded, GradientSource::kModel};
  space.vary.erase("sums");
  space.fidelity = Fidelity::kSelfParity;
  space.keep = AddsAsOnOneRank;
  return space;
}

TEST(Cases, OfAFormulaWithoutWordsAreDrawnUnderSelfParityAlone) {
  Capabilities can = EverythingCapable();
  can.own_formulas = {OptimizerKind::kAdamW, OptimizerKind::kAdam};
  const auto has_own = [](const Case& c) {
    return c.experiment.optimizer == OptimizerKind::kAdamW || c.experiment.optimizer == OptimizerKind::kAdam;
  };
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, can, 100)) EXPECT_FALSE(has_own(c)) << c;
  const std::vector<Case> cases = Drawn(ParitySpace(), {3, Precision::kFp32, {}}, can, 100);
  EXPECT_GT(std::ranges::count_if(cases, has_own), 20);
  for (const Case& c : cases) EXPECT_EQ(c.fidelity, Fidelity::kSelfParity);
  space.optimizers = {OptimizerKind::kAdamW};
  EXPECT_EQ(Missing(space, {.world_size = 3}, can), "needs: adamw by a formula that has words");
}

TEST(Cases, OfSelfParityHaveSumsThatOneRankHasToo) {
  const auto has_carriers = [](const Capabilities& can) {
    const std::vector<Case> cases = Drawn(ParitySpace(), {3, Precision::kFp32, {}}, can, 200);
    EXPECT_TRUE(std::ranges::all_of(cases, AddsAsOnOneRank));
    const auto counts = FeatureCounts(cases);
    return std::pair(counts.contains("random_gradients"), counts.contains("model_on_text"));
  };
  Capabilities can = EverythingCapable();
  EXPECT_EQ(has_carriers(can), std::pair(true, true));
  can.inexact_models = true;  // nobody says that they repeat
  EXPECT_EQ(has_carriers(can), std::pair(true, false));
  can.own_models = true;
  EXPECT_EQ(has_carriers(can), std::pair(true, true));
  can.reduction_orders = {"ring", "probed"};
  EXPECT_EQ(has_carriers(can), std::pair(false, false));
}

TEST(Cases, OfSelfParityNeedOneRankThatTakesAllMicroBatches) {
  Capabilities can = EverythingCapable();
  can.accumulation = false;
  EXPECT_EQ(Missing(ParitySpace(), {.world_size = 3}, can), "needs: accumulation");
  EXPECT_EQ(Missing(ParitySpace(), {.world_size = 1}, can), "");
  can.min_world_size = 2;
  EXPECT_EQ(Missing(ParitySpace(), {.world_size = 3}, can), "needs: world size 1, with which the others are compared");
}

TEST(Cases, ClipAsTheSubjectDoes) {
  Capabilities can = EverythingCapable();
  can.clip_formulas = {ClipFormula::kTorch};
  can.clip_norms = {NormKind::kOne};
  CaseSpace space{.clause = "C-ZERO-060"};
  space.gradients = {GradientSource::kPythagorean};
  space.vary = {"clipping"};
  int clipped = 0;
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, can, 50)) {
    if (c.experiment.max_norm == 0.0f) continue;
    ++clipped;
    EXPECT_TRUE(c.experiment.clip_formula == ClipFormula::kTorch && c.experiment.clip_norm == NormKind::kOne) << c;
  }
  EXPECT_GT(clipped, 20);
}

TEST(Cases, AreProbedWhereRandomDataLackAnOrder) {
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded, GradientSource::kModel};
  Capabilities can = EverythingCapable();
  can.reduction_orders = {"probed"};
  int probed = 0;
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, can, 200)) {
    probed += c.reduction_order == "probed";
    EXPECT_EQ(c.reduction_order, IsExact(c.experiment) ? "any" : "probed") << c;
    EXPECT_NE(c.experiment.gradients, GradientSource::kModel);
    EXPECT_TRUE(c.experiment.reduction == Precision::kFp32 && c.experiment.accumulation == Precision::kFp32) << c;
    EXPECT_FALSE(c.reduction_order == "probed" && c.experiment.micro_batches == 3) << c;
  }
  EXPECT_GT(probed, 50);
}

TEST(Cases, AreExactInAPrecisionWithoutAnOrder) {
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  Capabilities can = EverythingCapable();
  can.reduction_orders = {"probed", "rank"};
  can.ordered_dtypes = {Precision::kFp32};
  can.mixed_dtypes = false;
  for (const Case& c : Drawn(space, {3, Precision::kBf16, {}}, can, 100)) {
    EXPECT_TRUE(IsExact(c.experiment) && c.reduction_order == "any") << c;
    EXPECT_TRUE(c.experiment.reduction == Precision::kFp32 && c.experiment.accumulation == Precision::kFp32) << c;
  }
  space.gradients = {GradientSource::kUniform};
  EXPECT_EQ(Missing(space, {.world_size = 3, .precision = Precision::kBf16}, can),
            "needs: a reduction order declared for bf16");
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, can, 100)) EXPECT_NE(c.reduction_order, "any") << c;
}

TEST(Cases, ReduceAfterEveryMicroBatchWhereTheSubjectAlwaysDoes) {
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  Capabilities can = EverythingCapable();
  can.gradient_sync = {GradientSync::kEveryMicroBatch};
  for (const bool drawn : {true, false}) {
    if (!drawn) space.vary.erase("gradient sync");
    const rc::Gen<Case> cases = CasesOf(space, {.world_size = 3}, can);
    for (int i = 0; i < 20; ++i) {
      const auto c = cases(rc::Random(i), i);
      EXPECT_EQ(c.value().gradient_sync, GradientSync::kEveryMicroBatch) << c.value();
      for (auto shrinks = c.shrinks(); auto shrunk = shrinks.next();)
        EXPECT_EQ(shrunk->value().gradient_sync, GradientSync::kEveryMicroBatch);
    }
  }
}

TEST(Cases, NoRingInStageZero) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.gradients = {GradientSource::kUniform};
  Capabilities ring = EverythingCapable();
  ring.reduction_orders = {"ring"};
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, ring, 200)) {
    EXPECT_EQ(c.reduction_order, "ring");
    EXPECT_GT(c.stage, 0);
  }
}

TEST(CasesForASubject, ThatHasSomethingOnEveryRankAreOfEnoughTensors) {
  Capabilities can = EverythingCapable();
  can.no_empty_ranks = true;
  can.granularity = Granularity::kTensor;
  for (const ShapeStyle shapes : {ShapeStyle::kMixed, ShapeStyle::kDegenerate}) {
    for (const int W : {2, 4, 8}) {
      const rc::Gen<Case> gen = CasesOf(SemanticsOf(EverythingOf(shapes)), {W, Precision::kFp32, {}}, can);
      rc::Random random(3);
      for (int i = 0; i < 20; ++i) {
        const rc::Shrinkable<Case> drawn = gen(random.split(), 50);
        EXPECT_FALSE(LeavesTooLittle(drawn.value(), can)) << drawn.value();
        for (rc::Seq<rc::Shrinkable<Case>> simpler = drawn.shrinks(); const auto candidate = simpler.next();)
          EXPECT_FALSE(LeavesTooLittle(candidate->value(), can)) << candidate->value();
      }
    }
  }
  const RunTerms several{.can = can, .world_sizes = {2, 4}}, with_one{.can = can, .world_sizes = {1, 2}};
  EXPECT_EQ(MissingFor("empty_rank", with_one), "needs: a rank without elements (the subject declares no_empty_ranks)");
  EXPECT_EQ(MissingFor("one_parameter", several),
            "needs: fewer tensors than ranks (the subject declares no_empty_ranks)");
  EXPECT_EQ(MissingFor("one_parameter", with_one), "");
}

/// AdamW shows what SGD shows where epsilon is as large as gradients.
TEST(CasesForASubject, WithoutSgdHaveAdamWInItsPlace) {
  Capabilities can = EverythingCapable();
  can.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kLamb};
  CaseSpace plain{.clause = "C-ZERO-010"};
  plain.plain_update = true;
  for (const bool is_plain : {true, false}) {
    plain.plain_update = is_plain;
    for (const Case& c : Drawn(plain, {3, Precision::kFp32, {}}, can, 100)) {
      EXPECT_EQ(c.experiment.optimizer, OptimizerKind::kAdamW);
      for (const HyperParameters& group : c.experiment.groups) {
        EXPECT_GE(group.eps, 0x1p-7f) << c;
        EXPECT_FALSE(is_plain && group.weight_decay != 0) << c;
      }
    }
  }
  can.optimizers = {OptimizerKind::kLamb};
  EXPECT_EQ(Missing(plain, {.world_size = 3}, can), "needs: sgd or adamw or adam");
  CaseSpace of_adamw = plain;
  of_adamw.optimizers = {OptimizerKind::kAdamW};
  EXPECT_EQ(Missing(of_adamw, {.world_size = 3}, can), "needs: adamw");
  can.optimizers = {OptimizerKind::kAdamW};
  EXPECT_EQ(Missing(BoundedSpace(), {.world_size = 3}, can), "needs: sgd") << "bounds are SGD's";
}

TEST(CasesForASubject, ThatRunsOnlyOnAMeshAreOnOneInEveryClause) {
  Capabilities can = EverythingCapable();
  can.min_replicas = 2;
  const CaseSpace space = EverythingOf(ShapeStyle::kMixed);  // does not vary the mesh
  const CaseConditions conditions{4, Precision::kFp32, {}};
  const rc::Gen<Case> gen = CasesOf(space, conditions, can);
  rc::Random random(3);
  for (int i = 0; i < 50; ++i) {
    const rc::Shrinkable<Case> drawn = gen(random.split(), 50);
    EXPECT_GE(drawn.value().replicas, 2) << drawn.value();
    for (rc::Seq<rc::Shrinkable<Case>> simpler = drawn.shrinks(); const auto candidate = simpler.next();) {
      EXPECT_GE(candidate->value().replicas, 2) << candidate->value();
    }
  }
  EXPECT_EQ(Missing(space, {1, Precision::kFp32, {}}, can), "needs: ranks that can form 2 replicas");
  EXPECT_EQ(Missing(ParitySpace(), conditions, can), "needs: one replica, with which the others are compared");
}

}  // namespace
}  // namespace zerocts
