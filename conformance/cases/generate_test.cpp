#include "conformance/cases/generate.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/cases/draw_case.hpp"
#include "conformance/cases/features.hpp"
#include "conformance/cases/one_rank.hpp"
#include "conformance/cases/test_spaces.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

constexpr int kCases = 2000;

std::vector<Case> Drawn(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities, int count,
                        uint64_t seed = 1) {
  const rc::Gen<Case> gen = CasesOf(space, place, capabilities);
  rc::Random random(seed);
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i) cases.push_back(gen(random.split(), i % 101).value());
  return cases;
}

std::map<std::string, int> FeatureCounts(const std::vector<Case>& cases) {
  std::map<std::string, int> counts;
  for (const Case& c : cases) {
    for (const std::string& feature : FeaturesOf(c)) ++counts[feature];
  }
  return counts;
}

void ExpectFloors(const std::map<std::string, int>& counts, int cases, const std::vector<std::string>& features,
                  const std::string& where) {
  for (const std::string& feature : features) {
    const auto found = counts.find(feature);
    const double percent = found == counts.end() ? 0.0 : 100.0 * found->second / cases;
    EXPECT_GE(percent, 10.0) << feature << " " << where;
  }
}

const std::vector<std::string> kEverywhere = {"multi_group",     "empty_group",
                                              "accumulation",    "multi_step",
                                              "multi_window",    "clip_active",
                                              "clip_inactive",   "lr_change",
                                              "hyper_change",    "sgd",
                                              "momentum",        "adamw",
                                              "weight_decay",    "stage0",
                                              "stage1",          "stage2",
                                              "stage3",          "bucket",
                                              "bucket_partial",  "bucket_exact",
                                              "bucket_oversize", "random_gradients",
                                              "one_hot",         "read_reversed",
                                              "read_shuffled",   "read_before_step",
                                              "read_twice"};

std::vector<std::string> Plus(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Floors : public testing::TestWithParam<int> {};

TEST_P(Floors, MixedShapes) {
  const int W = GetParam();
  std::vector<std::string> features = Plus(kEverywhere, {"zero_numel", "scalar", "one_parameter"});
  if (W > 1) {
    features = Plus(features, {"uneven", "numel_below_w", "empty_rank", "boundary_inside", "boundary_on_edge"});
  }
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    if (precision == Precision::kBf16) features.push_back("bf16");
    const auto counts =
        FeatureCounts(Drawn(EverythingOf(ShapeStyle::kMixed), {W, precision, {}, {}}, EverythingCapable(), kCases));
    ExpectFloors(counts, kCases, features, "W=" + std::to_string(W));
  }
}

TEST_P(Floors, DegenerateShapes) {
  const int W = GetParam();
  std::vector<std::string> features = {"zero_numel", "scalar", "one_parameter", "empty_group", "multi_group"};
  if (W > 1) features = Plus(features, {"uneven", "numel_below_w", "empty_rank"});
  const auto cases =
      Drawn(EverythingOf(ShapeStyle::kDegenerate), {W, Precision::kFp32, {}, {}}, EverythingCapable(), kCases);
  ExpectFloors(FeatureCounts(cases), kCases, features, "W=" + std::to_string(W));
}

TEST_P(Floors, LargeShapes) {
  const int W = GetParam();
  CaseSpace space = EverythingOf(ShapeStyle::kLarge);
  space.clip = false;  // the norm of a million elements costs milliseconds
  std::vector<std::string> features = {"one_parameter", "bucket_oversize"};
  if (W > 1) features = Plus(features, {"uneven", "boundary_inside"});
  const auto cases = Drawn(space, {W, Precision::kFp32, {}, {}}, EverythingCapable(), kCases);
  ExpectFloors(FeatureCounts(cases), kCases, features, "W=" + std::to_string(W));
  for (const Case& c : cases) {
    EXPECT_GE(TotalNumel(c.experiment), 1 << 18);
    EXPECT_LE(TotalNumel(c.experiment), 1 << 20);
    EXPECT_EQ(c.experiment.steps, 1);
  }
}

TEST_P(Floors, ModelOnText) {
  const int W = GetParam();
  const auto cases = Drawn(ModelSpace(), {W, Precision::kFp32, {}, {}}, EverythingCapable(), 200);
  std::vector<std::string> features = {"model_on_text", "accumulation", "multi_step", "clip_active",
                                       "clip_inactive", "lr_change",    "multi_group"};
  if (W > 1) features = Plus(features, {"uneven", "boundary_inside"});
  ExpectFloors(FeatureCounts(cases), 200, features, "W=" + std::to_string(W));
}

INSTANTIATE_TEST_SUITE_P(WorldSizes, Floors, testing::Values(1, 2, 3, 4));

TEST(Cases, AreValidAndOfTheSpace) {
  for (const ShapeStyle shapes : {ShapeStyle::kMixed, ShapeStyle::kDegenerate}) {
    for (const int W : {1, 2, 3, 4, 5, 6, 8}) {
      for (const Case& c :
           Drawn(EverythingOf(shapes), {W, Precision::kBf16, {1, 2}, {"padded"}}, EverythingCapable(), 300)) {
        EXPECT_EQ(Problem(c.experiment), "");
        EXPECT_EQ(c.clause, "C-ZERO-000");
        EXPECT_EQ(c.world_size(), W);
        EXPECT_TRUE(c.stage == 1 || c.stage == 2);
        EXPECT_EQ(c.plan, "padded");
        EXPECT_LE(c.experiment.parameters.size(), 6u);
        EXPECT_GT(TotalNumel(c.experiment), 0);
        EXPECT_LE(TotalNumel(c.experiment), 2100 * 4);
        EXPECT_EQ(c.fidelity == Fidelity::kExactInputs, IsExact(c.experiment.gradients));
        EXPECT_FALSE(c.fidelity == Fidelity::kDeclaredOrder && c.reduction_order == "any");
      }
    }
  }
}

TEST(Cases, AskOnlyForWhatIsDeclared) {
  Capabilities little;
  little.stages = {0, 1};
  little.param_dtypes = {Precision::kFp32};
  little.optimizers = {OptimizerKind::kSgd};
  little.max_world_size = 4;
  const CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}, {}}, little, 500)) {
    EXPECT_EQ(c.replicas, 1);
    EXPECT_EQ(c.gradient_sync, GradientSync::kLast);
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
  can.formulas[OptimizerKind::kAdamW] = {.decay = DecayPlace::kBefore};
  can.scalars = can.empty_parameters = false;
  can.inexact_norm = true;
  can.host_computes_models = false;
  can.models = {};
  CaseSpace space{.clause = "C-ZERO-060", .shapes = ShapeStyle::kDegenerate};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.gradients = {GradientSource::kPythagorean, GradientSource::kModel};
  space.clip = true;
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
  for (const Case& c : Drawn(BoundedSpace(), {3, Precision::kFp32, {}, {}}, can, 50)) {
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
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}, {}}, can, 100)) {
    EXPECT_EQ(c.experiment.gradients, GradientSource::kUniform);
  }
}

CaseSpace ParitySpace() {
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded, GradientSource::kModel};
  space.bf16_sums = false;
  space.parity = true;
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
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}, {}}, can, 100)) EXPECT_FALSE(has_own(c)) << c;
  const std::vector<Case> cases = Drawn(ParitySpace(), {3, Precision::kFp32, {}, {}}, can, 100);
  EXPECT_GT(std::ranges::count_if(cases, has_own), 20);
  for (const Case& c : cases) EXPECT_EQ(c.fidelity, Fidelity::kSelfParity);
  space.optimizers = {OptimizerKind::kAdamW};
  EXPECT_EQ(Missing(space, {.world_size = 3}, can), "needs: adamw by a formula that has words");
}

TEST(Cases, OfSelfParityHaveSumsThatOneRankHasToo) {
  const auto has_carriers = [](const Capabilities& can) {
    const std::vector<Case> cases = Drawn(ParitySpace(), {3, Precision::kFp32, {}, {}}, can, 200);
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
  space.clip = true;
  int clipped = 0;
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}, {}}, can, 50)) {
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
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}, {}}, can, 200)) {
    probed += c.reduction_order == "probed";
    EXPECT_EQ(c.reduction_order, IsExact(c.experiment) ? "any" : "probed") << c;
    EXPECT_NE(c.experiment.gradients, GradientSource::kModel);
    EXPECT_TRUE(c.experiment.reduction == Precision::kFp32 && c.experiment.accumulation == Precision::kFp32) << c;
    EXPECT_FALSE(c.reduction_order == "probed" && c.experiment.micro_batches == 3) << c;
  }
  EXPECT_GT(probed, 50);
}

TEST(Cases, NoRingInStageZero) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.gradients = {GradientSource::kUniform};
  Capabilities ring = EverythingCapable();
  ring.reduction_orders = {"ring"};
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}, {}}, ring, 200)) {
    EXPECT_EQ(c.reduction_order, "ring");
    EXPECT_GT(c.stage, 0);
  }
}

TEST(Cases, SimpleSgdShowsTheGradient) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.simple_sgd = true;
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}, {}}, EverythingCapable(), 500)) {
    EXPECT_EQ(c.experiment.optimizer, OptimizerKind::kSgd);
    for (int64_t step = 0; step < c.experiment.steps; ++step) {
      for (const HyperParameters& group : GroupsAtStep(c.experiment, step)) {
        int exponent = 0;
        EXPECT_EQ(std::frexp(group.lr, &exponent), 0.5f);
        EXPECT_EQ(group.momentum, 0);
        EXPECT_EQ(group.weight_decay, 0);
      }
    }
  }
}

TEST(Cases, FinishAndKeepHaveTheLastWord) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.finish = [](Case& c) { c.observe_memory = true; };
  space.keep = [](const Case& c) { return c.experiment.steps == 2; };
  const rc::Gen<Case> gen = CasesOf(space, {3, Precision::kFp32, {}, {}}, EverythingCapable());
  rc::Random random(5);
  for (int i = 0; i < 50; ++i) {
    const auto drawn = gen(random.split(), 50);
    EXPECT_TRUE(drawn.value().observe_memory);
    EXPECT_EQ(drawn.value().experiment.steps, 2);
    for (auto shrinks = drawn.shrinks(); auto shrunk = shrinks.next();) EXPECT_EQ(shrunk->value().experiment.steps, 2);
  }
}

TEST_P(Floors, Semantics) {
  const int W = GetParam();
  const CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  std::vector<std::string> features = {
      "adam",           "lamb",           "clip_norm_one", "clip_norm_infinity", "clip_formula_torch", "clip_formula_above",
      "clip_formula_deepspeed", "clip_formula_deepspeed_fp64",
      "sync_each",      "overlap",        "offload",       "bf16_accumulation",  "bf16_reduction",     "frozen",
      "thawed",         "missing_all",    "tied",          "buffer",             "mixed_precisions",   "loss_scaling",
      "dynamic_scale",  "overflow"};
  if (W > 1) features = Plus(features, {"mesh", "missing_some"});
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const auto cases = Drawn(space, {W, precision, {1, 2, 3}, {}}, EverythingCapable(), kCases);
    ExpectFloors(FeatureCounts(cases), kCases, features, "W=" + std::to_string(W) + " " + ToString(precision));
    for (const Case& c : cases) {
      EXPECT_EQ(Problem(c), "");
      EXPECT_EQ(c.fidelity == Fidelity::kExactInputs, IsExact(c.experiment));
      EXPECT_FALSE(c.fidelity == Fidelity::kDeclaredOrder && c.reduction_order == "any");
    }
  }
  CaseSpace sgd = space;
  sgd.optimizers = {OptimizerKind::kSgd};
  const auto counts = FeatureCounts(Drawn(sgd, {W, Precision::kFp32, {}, {}}, EverythingCapable(), kCases));
  ExpectFloors(counts, kCases, {"nesterov", "dampening"}, "W=" + std::to_string(W));
}

TEST_P(Floors, SemanticsOfAModel) {
  const int W = GetParam();
  const auto cases = Drawn(SemanticsOf(ModelSpace()), {W, Precision::kFp32, {1, 2, 3}, {}}, EverythingCapable(), 200);
  std::vector<std::string> features = {"sync_each", "frozen", "buffer", "mixed_precisions", "loss_scaling", "bf16_reduction"};
  if (W > 1) features.push_back("mesh");
  ExpectFloors(FeatureCounts(cases), 200, features, "W=" + std::to_string(W));
  for (const Case& c : cases) {
    EXPECT_EQ(Problem(c), "");
    EXPECT_TRUE(c.experiment.roles.tied.empty() && c.experiment.planted.empty());
  }
}

TEST(Cases, DependOnTheSeedAlone) {
  const auto hash_of = [](uint64_t seed) {
    std::string text;
    for (Case c :
         Drawn(EverythingOf(ShapeStyle::kMixed), {3, Precision::kBf16, {}, {}}, EverythingCapable(), 100, seed))
      text += ToJson(c).dump();
    return HashOfBytes(text.data(), text.size());
  };
  EXPECT_EQ(hash_of(1), "061c911c438770318cd27244709a61d0")
      << "cases changed: seeds in reports of older builds no longer draw the same";
  EXPECT_EQ(hash_of(1), hash_of(1));
  EXPECT_NE(hash_of(1), hash_of(2));
}

TEST(Cases, AreQuickToDraw) {
  const auto start = std::chrono::steady_clock::now();
  Drawn(EverythingOf(ShapeStyle::kMixed), {4, Precision::kFp32, {}, {}}, EverythingCapable(), kCases);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds_per_case", std::to_string(taken.count() / kCases));
  EXPECT_LT(taken.count() / kCases, 5.0);  // 0.03 ms on a quiet machine
}

TEST(Missing, NamesWhatIsNotDeclared) {
  const CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  const CasePlace place{3, Precision::kBf16, {}, {}};
  const auto missing = [](CaseSpace s, CasePlace p, auto change) {
    Capabilities c = EverythingCapable();
    change(c);
    return Missing(s, p, c);
  };
  EXPECT_EQ(missing(space, place, [](Capabilities&) {}), "");
  EXPECT_EQ(missing(space, place, [](Capabilities& c) { c.max_world_size = 2; }),
            "needs: world size 3 (declared: 1 to 2)");
  EXPECT_EQ(missing(space, place, [](Capabilities& c) { c.param_dtypes = {Precision::kFp32}; }), "needs: bf16");
  EXPECT_EQ(missing(space, place, [](Capabilities& c) { c.stages.clear(); }),
            "needs: stage 0 or stage 1 or stage 2 or stage 3");
  EXPECT_EQ(missing(space, place, [](Capabilities& c) { c.optimizers.clear(); }), "needs: sgd or adamw");
  CasePlace planned = place;
  planned.plans = {"hybrid"};
  EXPECT_EQ(missing(space, planned, [](Capabilities&) {}), "needs: plan hybrid");
  CaseSpace random = space;
  random.gradients = {GradientSource::kUniform};
  EXPECT_EQ(missing(random, place, [](Capabilities& c) { c.reduction_orders.clear(); }),
            "needs: a declared reduction order");
  EXPECT_EQ(missing(ModelSpace(), place, [](Capabilities& c) { c.groups = false; }),
            "needs: groups with a reduction order that has a name");
  const CasePlace fp32{3, Precision::kFp32, {}, {}};
  EXPECT_EQ(missing(BoundedSpace(), fp32, [](Capabilities&) {}), "");
  EXPECT_EQ(missing(BoundedSpace(), place, [](Capabilities&) {}), "needs: fp32");
  EXPECT_EQ(missing(BoundedSpace(), fp32, [](Capabilities& c) { c.models = {"gpt"}; }), "needs: groups and models mlp");
  CaseSpace windows = space;
  windows.keep = [](const Case& c) { return c.experiment.micro_batches > 1; };
  EXPECT_EQ(missing(windows, place, [](Capabilities& c) { c.accumulation = false; }), "needs: accumulation");
  CaseSpace clipped = space;
  clipped.keep = [](const Case& c) { return c.experiment.max_norm > 0; };
  EXPECT_EQ(missing(clipped, place, [](Capabilities& c) { c.clip = false; }), "needs: clip");
  CaseSpace meshes = SemanticsOf(space);
  meshes.keep = [](const Case& c) { return c.replicas > 1; };
  EXPECT_EQ(missing(meshes, place, [](Capabilities& c) { c.replicas = false; }), "needs: replicas");
  CaseSpace syncs = SemanticsOf(space);
  syncs.keep = [](const Case& c) { return c.gradient_sync == GradientSync::kEach; };
  EXPECT_EQ(missing(syncs, place, [](Capabilities& c) { c.gradient_sync = {GradientSync::kLast}; }),
            "needs: gradient_sync each");
  CaseSpace scales = SemanticsOf(space);
  scales.keep = [](const Case& c) { return c.experiment.loss_scaling.kind == LossScaleKind::kDynamic; };
  EXPECT_EQ(missing(scales, place, [](Capabilities& c) { c.loss_scaling = {LossScaleKind::kStatic}; }),
            "needs: loss_scaling dynamic");
  CaseSpace resumes = space;
  resumes.checkpoint = CheckpointUse::kResume;
  EXPECT_EQ(missing(resumes, place, [](Capabilities& c) { c.checkpoint = false; }), "needs: checkpoint");
  CaseSpace reshards = resumes;
  reshards.checkpoint = CheckpointUse::kReshard;
  reshards.gradients = {GradientSource::kIndexCoded};
  EXPECT_EQ(missing(reshards, place, [](Capabilities&) {}), "needs: another world size");
  CasePlace among = place;
  among.world_sizes = {2, 3};
  EXPECT_EQ(missing(reshards, among, [](Capabilities&) {}), "");
  EXPECT_EQ(missing(reshards, among, [](Capabilities& c) { c.min_world_size = 3; }), "needs: another world size");
  EXPECT_EQ(missing(reshards, among, [](Capabilities& c) { c.checkpoint_reshard = false; }),
            "needs: checkpoint_reshard");
  CaseSpace impossible = space;
  impossible.keep = [](const Case&) { return false; };
  EXPECT_NE(missing(impossible, place, [](Capabilities&) {}).find("needs: more than is declared"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
