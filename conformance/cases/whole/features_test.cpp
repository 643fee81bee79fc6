#include "conformance/cases/whole/features.hpp"

#include <gtest/gtest.h>

#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/inputs/gradient_norm.hpp"

namespace zerocts {
namespace {

Case CaseOf(int world_size, std::vector<ParameterSpec> parameters) {
  Case c;
  c.experiment.world_size = world_size;
  c.experiment.parameters = std::move(parameters);
  return c;
}

bool Has(const Case& c, const std::string& feature) { return FeaturesOf(c).count(feature) == 1; }

TEST(Features, Shapes) {
  // 7 elements on 3 ranks: 3 + 2 + 2, boundaries at 3 and 5.
  const Case c = CaseOf(3, {{"a", {3}, 0}, {"b", {0}, 0}, {"c", {}, 0}, {"d", {3, 1}, 0}});
  for (const char* feature :
       {"uneven", "numel_below_w", "zero_numel", "scalar", "boundary_inside", "boundary_on_edge"}) {
    EXPECT_TRUE(Has(c, feature)) << feature;
  }
  for (const char* feature :
       {"empty_rank", "one_parameter", "multi_group", "empty_group", "accumulation", "multi_step", "bucket"}) {
    EXPECT_FALSE(Has(c, feature)) << feature;
  }
  const Case few = CaseOf(3, {{"a", {2}, 0}});
  EXPECT_TRUE(Has(few, "empty_rank") && Has(few, "one_parameter") && Has(few, "numel_below_w"));
  const Case even = CaseOf(3, {{"a", {6}, 0}, {"b", {3}, 0}});
  EXPECT_FALSE(Has(even, "uneven"));
  EXPECT_TRUE(Has(even, "boundary_inside") && Has(even, "boundary_on_edge"));
  const Case alone = CaseOf(1, {{"a", {5}, 0}});
  EXPECT_FALSE(Has(alone, "uneven") || Has(alone, "boundary_inside") || Has(alone, "empty_rank") ||
               Has(alone, "numel_below_w"));
}

TEST(Features, Groups) {
  Case c = CaseOf(3, {{"a", {3}, 0}, {"b", {2}, 1}});
  c.experiment.groups.resize(2);
  EXPECT_TRUE(Has(c, "multi_group"));
  EXPECT_FALSE(Has(c, "empty_group"));
  c.experiment.groups.resize(3);
  EXPECT_TRUE(Has(c, "empty_group"));
}

TEST(Features, Buckets) {
  Case c = CaseOf(3, {{"a", {3}, 0}, {"b", {4}, 0}});
  c.bucket_cap_bytes = 12;
  EXPECT_TRUE(Has(c, "bucket") && Has(c, "bucket_exact") && Has(c, "bucket_oversize") && Has(c, "bucket_partial"));
  c.bucket_cap_bytes = 28;
  EXPECT_FALSE(Has(c, "bucket_exact") || Has(c, "bucket_oversize") || Has(c, "bucket_partial"));
  c.experiment.precision = Precision::kBf16;
  c.bucket_cap_bytes = 6;
  EXPECT_TRUE(Has(c, "bucket_exact") && Has(c, "bucket_oversize") && Has(c, "bucket_partial"));
}

TEST(Features, HyperParameterChanges) {
  Case c = CaseOf(3, {{"a", {3}, 0}});
  c.experiment.steps = 2;
  HyperParameters later;
  c.experiment.changes = {{1, 0, later}};
  EXPECT_FALSE(Has(c, "lr_change") || Has(c, "hyper_change"));  // to what it was
  c.experiment.changes[0].values.lr = 0.5f;
  EXPECT_TRUE(Has(c, "lr_change"));
  EXPECT_FALSE(Has(c, "hyper_change"));
  c.experiment.changes[0].values.momentum = 0.5f;
  EXPECT_TRUE(Has(c, "hyper_change") && Has(c, "momentum"));
}

TEST(Features, ClippingAgainstTheKnownNorm) {
  Case c = CaseOf(3, {{"a", {30}, 0}, {"b", {7}, 0}});
  c.experiment.gradients = GradientSource::kPythagorean;
  c.experiment.micro_batches = 2;
  c.experiment.steps = 2;
  c.experiment.gradient_exponent = 1;
  EXPECT_EQ(StepsOfKnownNorm(c.experiment), 2);
  EXPECT_EQ(KnownGradientNorm(c.experiment, 0), 10.0f);  // 2 * (3, 4)
  EXPECT_EQ(KnownGradientNorm(c.experiment, 1), 10.0f);
  EXPECT_FALSE(Has(c, "clip_active") || Has(c, "clip_inactive"));
  c.experiment.max_norm = 5;
  EXPECT_TRUE(Has(c, "clip_active"));
  c.experiment.max_norm = 20;
  EXPECT_TRUE(Has(c, "clip_inactive"));
}

TEST(Features, RolesOfParameters) {
  Case c = CaseOf(3, {{"a", {3}, 0}, {"b", {3}, 0}, {"c", {2}, 0}});
  Experiment& e = c.experiment;
  e.steps = 3;
  for (const char* feature :
       {"tied", "buffer", "mixed_precisions", "frozen", "thawed", "missing_some", "missing_all"}) {
    EXPECT_FALSE(Has(c, feature)) << feature;
  }
  e.roles.tied = {{1, 0}};
  e.roles.buffers = {2};
  e.roles.precisions = {{0, Precision::kFp32}};
  EXPECT_TRUE(Has(c, "tied") && Has(c, "buffer"));
  EXPECT_FALSE(Has(c, "mixed_precisions"));  // it is the usual one
  e.roles.precisions[0].precision = Precision::kBf16;
  EXPECT_TRUE(Has(c, "mixed_precisions"));
  e.roles.frozen = {{0, 1, 3}};
  EXPECT_TRUE(Has(c, "frozen"));
  EXPECT_FALSE(Has(c, "thawed") || Has(c, "missing_all"));
  e.roles.frozen = {{0, 1, 2}};
  EXPECT_TRUE(Has(c, "thawed"));
  e.roles.missing = {{0, 0, 1}};
  EXPECT_TRUE(Has(c, "missing_some"));
  e.roles.missing = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}};
  EXPECT_FALSE(Has(c, "missing_all"));  // its other name has one
  e.roles.without_gradient = {{1, 0, 1}};
  EXPECT_TRUE(Has(c, "missing_all"));
  EXPECT_FALSE(Has(c, "missing_some"));
}

TEST(Features, ScalesAndOverflow) {
  Case c = CaseOf(3, {{"a", {3}, 0}});
  Experiment& e = c.experiment;
  e.planted = {{0, 0, 0, 1, NonFinite::kNan}};
  EXPECT_FALSE(Has(c, "loss_scaling") || Has(c, "overflow"));
  e.loss_scaling.kind = LossScaleKind::kStatic;
  EXPECT_TRUE(Has(c, "loss_scaling") && Has(c, "overflow"));
  EXPECT_FALSE(Has(c, "dynamic_scale"));
  e.roles.missing = {{0, 0, 0}};
  EXPECT_FALSE(Has(c, "overflow"));
  e.loss_scaling.kind = LossScaleKind::kDynamic;
  EXPECT_TRUE(Has(c, "dynamic_scale"));
}

TEST(Features, WhatACheckpointHolds) {
  Case c = CaseOf(3, {{"a", {3}, 0}});
  Experiment& e = c.experiment;
  e.steps = 3;
  e.changes = {{1, 0, {.lr = 0.25f}}};
  c.checkpoint = {0, CheckpointUse::kSaveOnly};
  EXPECT_TRUE(Has(c, "save"));
  EXPECT_FALSE(Has(c, "resume"));
  c.checkpoint->how = CheckpointUse::kResume;
  EXPECT_TRUE(Has(c, "resume"));
  EXPECT_FALSE(Has(c, "save") || Has(c, "resumed_change") || Has(c, "resumed_scale"));
  c.checkpoint->after_step = 1;
  EXPECT_TRUE(Has(c, "resumed_change"));
  e.loss_scaling.kind = LossScaleKind::kStatic;
  EXPECT_FALSE(Has(c, "resumed_scale"));
  e.loss_scaling.kind = LossScaleKind::kDynamic;
  EXPECT_TRUE(Has(c, "resumed_scale"));  // of two good steps
  e.planted = {{0, 0, 0, 1, NonFinite::kNan}, {1, 0, 0, 1, NonFinite::kNan}};
  e.loss_scaling.scale = e.loss_scaling.minimum;
  e.loss_scaling.hysteresis = 1;
  c.checkpoint->after_step = 0;
  EXPECT_TRUE(Has(c, "resumed_scale"));  // no patience is left
}

TEST(Features, HowManyRanksLoadWhatWasSaved) {
  Case c = CaseOf(3, {{"a", {3}, 0}});
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 4};
  EXPECT_TRUE(Has(c, "loaded_by_more"));
  EXPECT_FALSE(Has(c, "loaded_by_fewer") || Has(c, "resume") || Has(c, "save"));
  c.checkpoint->other_world_size = 1;
  EXPECT_TRUE(Has(c, "loaded_by_fewer") && !Has(c, "loaded_by_more"));
  EXPECT_FALSE(Has(c, "loaded_on_mesh"));
  c = CaseOf(4, {{"a", {3}, 0}});
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 2};
  c.replicas = 2;
  EXPECT_TRUE(Has(c, "loaded_on_mesh"));
}

TEST(Features, TheNormThatClips) {
  Case c = CaseOf(3, {{"a", {30}, 0}, {"b", {7}, 0}});
  Experiment& e = c.experiment;
  e.gradients = GradientSource::kPythagorean;
  e.steps = 2;
  const auto norms = [&](NormKind norm) {
    e.clip_norm = norm;
    return std::vector{KnownGradientNorm(e, 0), KnownGradientNorm(e, 1)};
  };
  EXPECT_EQ(norms(NormKind::kTwo), (std::vector<float>{5.0f, 5.0f}));
  EXPECT_EQ(norms(NormKind::kOne), (std::vector<float>{7.0f, 7.0f}));
  EXPECT_EQ(norms(NormKind::kInfinity), (std::vector<float>{4.0f, 4.0f}));
  e.max_norm = 4.0f;
  EXPECT_TRUE(Has(c, "clip_norm_infinity") && Has(c, "clip_active"));  // 4 / (4 + epsilon)
  e.clip_formula = ClipFormula::kAbove;
  EXPECT_TRUE(Has(c, "clip_formula_above") && Has(c, "clip_inactive"));
  e.roles.frozen = {{0, 0, 2}};  // no norm is larger without it, some are 0
  EXPECT_LE(norms(NormKind::kTwo)[0], 4.0f);
}

TEST(Features, EachCanBeAskedForAlone) {
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  space.vary.insert("clipping");
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}, {2, 3, 4}}, EverythingCapable(), 50)) {
    const std::set<std::string> features = FeaturesOf(c);
    for (const auto& [name, meaning] : FeatureMeanings())
      EXPECT_EQ(HasFeature(c, name), features.contains(name)) << name;
  }
  EXPECT_THROW(HasFeature(Case(), "no feature"), std::out_of_range);
}

TEST(Features, EachHasAMeaning) {
  std::set<std::string> explained;
  for (const auto& [name, meaning] : FeatureMeanings()) {
    EXPECT_TRUE(explained.insert(name).second) << name;
    EXPECT_FALSE(meaning.empty()) << name;
  }
  std::set<std::string> seen;
  rc::Random random(1);
  const auto draw = [&](const CaseSpace& space, Precision precision, int count) {
    const auto gen = CasesOf(space, {3, precision, {}, {2, 3, 4, 6}}, EverythingCapable());
    for (int i = 0; i < count; ++i) seen.merge(FeaturesOf(gen(random.split(), i % 101).value()));
  };
  for (const CaseSpace& space :
       {EverythingOf(ShapeStyle::kMixed), ModelSpace(), SemanticsOf(EverythingOf(ShapeStyle::kMixed))}) {
    draw(space, Precision::kBf16, 500);
  }
  draw(InterruptedSpace(), Precision::kFp32, 200);
  CaseSpace asks = EverythingOf(ShapeStyle::kMixed);
  asks.vary.insert("undeclared");
  draw(asks, Precision::kFp32, 1);
  CaseSpace saves = EverythingOf(ShapeStyle::kMixed);
  saves.checkpoint = CheckpointUse::kSaveOnly;
  draw(saves, Precision::kFp32, 1);
  saves.checkpoint = CheckpointUse::kResume;
  saves.vary.insert("checkpoint damage");
  draw(saves, Precision::kFp32, 1);
  CaseSpace reshards = EverythingOf(ShapeStyle::kMixed);
  reshards.gradients = {GradientSource::kIndexCoded};
  reshards.checkpoint = CheckpointUse::kReshard;
  reshards.vary.insert("mesh");
  draw(reshards, Precision::kFp32, 20);
  draw(BoundedSpace(), Precision::kFp32, 1);
  for (CaseSpace experts : {CaseSpace{.clause = "C-ZERO-000"}, ModelSpace()}) {
    experts.vary.insert({"experts", "mesh"});
    for (const Case& c : Drawn(experts, {4, Precision::kFp32, {}}, EverythingCapable(), 30)) seen.merge(FeaturesOf(c));
  }
  CaseSpace split = ModelSpace();
  split.vary.insert({"tensor", "mesh", "vocab_parallel", "sequence_parallel", "kv_heads"});
  for (const Case& c : Drawn(split, {8, Precision::kFp32, {}}, EverythingCapable(), 100)) seen.merge(FeaturesOf(c));
  split.checkpoint = CheckpointUse::kReshard;
  for (const Case& c : Drawn(split, {4, Precision::kFp32, {}, {1, 2, 4}}, EverythingCapable(), 100)) {
    seen.merge(FeaturesOf(c));
  }
  Case measured;
  measured.observe_traffic = measured.observe_timeline = measured.observe_events = measured.observe_memory_estimate =
      measured.observe_resources = true;
  seen.merge(FeaturesOf(measured));
  Case large;
  large.stage = 1;
  large.experiment.world_size = 2;
  large.experiment.optimizer = OptimizerKind::kAdamW;
  large.experiment.parameters = {{"large", {4096, 1024}, 0}};
  seen.merge(FeaturesOf(large));
  large.experiment.parameters = {{"below a block", {(1 << 20) - 1}, 0}};
  seen.merge(FeaturesOf(large));
  EXPECT_EQ(seen, explained);
}

}  // namespace
}  // namespace zerocts
