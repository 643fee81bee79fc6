#include <gtest/gtest.h>

#include <map>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/inputs/gradient_norm.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/cases/whole/undeclared.hpp"

namespace zerocts {
namespace {

std::set<std::string> FeaturesOfSpace(const CaseSpace& space) {
  std::set<std::string> features;
  const auto gen = CasesOf(space, {4, Precision::kFp32, {}}, EverythingCapable());
  rc::Random random(3);
  for (int i = 0; i < 300; ++i) features.merge(FeaturesOf(gen(random.split(), i % 101).value()));
  return features;
}

/// Without the dimension, but with what it needs to show what it brings.
CaseSpace PlainSpaceFor(const Dimension& dimension) {
  CaseSpace plain = EverythingOf(ShapeStyle::kMixed);
  plain.max_steps = 4;
  if (dimension.name == "tensor") {
    plain.gradients = {GradientSource::kModel};
    plain.vary.insert("mesh");
  }
  if (dimension.name == "vocab_parallel" || dimension.name == "sequence_parallel") {
    plain.gradients = {GradientSource::kModel};
    plain.vary.insert({"mesh", "tensor"});
  }
  if (dimension.name == "kv_heads") plain.gradients = {GradientSource::kModel};
  if (dimension.name == "experts") {
    plain.gradients.push_back(GradientSource::kModel);
    plain.vary.insert("mesh");
  }
  if (dimension.name == "checkpoint damage") plain.checkpoint = CheckpointUse::kResume;
  plain.vary.erase(dimension.name);
  return plain;
}

TEST(DrawSemantics, EachDimensionOnRequestBringsItsFeaturesAndNoOthers) {
  for (const Dimension& dimension : Dimensions()) {
    if (!dimension.drawn.on_request) continue;
    CaseSpace space = PlainSpaceFor(dimension);
    std::set<std::string> expected = FeaturesOfSpace(space);
    space.vary.insert(dimension.name);
    const std::set<std::string> with = FeaturesOfSpace(space);
    EXPECT_NE(with, expected) << dimension.name;
    for (const auto& feature : dimension.form.features) expected.insert(feature.name);
    EXPECT_EQ(with, expected) << dimension.name;
  }
}

/// What is drawn after the threshold changes gradients too: whether the loss is quadratic, for instance.
TEST(DrawClipping, TheThresholdIsAPartOfTheNormThatTheCaseHasInTheEnd) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.vary = {"clipping", "loss"};
  const auto gen = CasesOf(space, {4, Precision::kFp32, {}}, EverythingCapable());
  rc::Random random(3);
  int clipped = 0, quadratic = 0;
  for (int i = 0; i < 300; ++i) {
    const Experiment e = gen(random.split(), i % 101).value().experiment;
    const float norm = KnownGradientNorm(e);
    if (e.max_norm == 0 || !std::isfinite(norm) || norm <= e.clip_epsilon) continue;
    EXPECT_TRUE(Contains({2.0f, 1.0f, 0.5f, 0x1p-10f}, e.max_norm / norm)) << e.max_norm << " of " << norm;
    ++clipped;
    quadratic += e.curvature != 0;
  }
  EXPECT_GT(clipped, 100);
  EXPECT_GT(quadratic, 10);
}

TEST(DrawSemantics, WhatIsNotDeclaredTakesNoDraw) {
  const CaseConditions conditions{3, Precision::kFp32, {}};
  Capabilities old = EverythingCapable();
  const Capabilities left_out;
  old.replicas = old.frozen = old.missing_gradients = old.tied = old.buffers = old.mixed_dtypes = false;
  old.sgd_variants = old.overlap = false;
  old.accumulation_dtypes = old.reduce_dtypes = left_out.accumulation_dtypes;
  old.loss_scaling.clear();
  old.tensor_parallel = left_out.tensor_parallel;
  old.tensor_parts = left_out.tensor_parts;
  old.checkpoint_tensor = left_out.checkpoint_tensor;
  old.vocab_parallel = left_out.vocab_parallel;
  old.sequence_parallel = left_out.sequence_parallel;
  old.kv_heads = left_out.kv_heads;
  old.experts = left_out.experts;
  const CaseSpace plain = EverythingOf(ShapeStyle::kMixed);
  CaseSpace space = plain;
  space.vary.insert({"mesh", "frozen parameters", "missing gradients", "tied names", "buffers", "mixed precisions",
                     "sums", "loss scaling", "momentum", "overlap", "tensor", "kv_heads", "experts"});
  const auto all = CasesOf(space, conditions, old), none = CasesOf(plain, conditions, old);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Case with = all(rc::Random(seed), 50).value(), without = none(rc::Random(seed), 50).value();
    EXPECT_EQ(with, without);
  }
}

/// Experts have several ranks where there can be such, sometimes one; dense parameters are beside them, and what is
/// tied has no more than one expert. Nothing else of a case is drawn otherwise.
TEST(DrawExperts, MarksParametersAndLeavesAllElse) {
  CaseSpace plain{.clause = "C-ZERO-000", .vary = {"tied names", "buckets"}};
  CaseSpace space = plain;
  space.vary.insert("experts");
  for (const int ranks : {1, 3, 4, 6}) {
    const CaseConditions conditions{ranks, Precision::kFp32, {}};
    const auto with = CasesOf(space, conditions, EverythingCapable()),
               without = CasesOf(plain, conditions, EverythingCapable());
    std::set<int> counts;
    for (uint64_t seed = 0; seed < 300; ++seed) {
      Case c = with(rc::Random(seed), 50).value();
      EXPECT_EQ(Problem(c), "");
      if (c.experiment.experts != Experts{}) {
        counts.insert(c.experiment.experts.count);
        EXPECT_FALSE(c.experiment.experts.parameters.empty());
      }
      c.experiment.experts = {};
      EXPECT_EQ(c, without(rc::Random(seed), 50).value());
    }
    const std::map<int, std::set<int>> expected = {{1, {}}, {3, {3}}, {4, {2, 4}}, {6, {2, 3, 6}}};
    EXPECT_EQ(counts, expected.at(ranks));
  }
}

/// An MLP has them in its last hidden layer; a subject that declares none is given none. What is chosen by the size of
/// the model, or by its gradients, is apart.
TEST(DrawExperts, GivesThemToAnMlpAndLeavesAllElse) {
  const CaseSpace plain = ModelSpace();
  CaseSpace space = plain;
  space.vary.insert("experts");
  const CaseConditions conditions{6, Precision::kFp32, {}};
  Capabilities none = EverythingCapable();
  none.experts = false;
  const auto with = CasesOf(space, conditions, EverythingCapable()),
             without = CasesOf(plain, conditions, EverythingCapable()), undeclared = CasesOf(space, conditions, none);
  std::set<int> counts;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Case c = with(rc::Random(seed), 50).value();
    EXPECT_EQ(Problem(c), "");
    const Case dense = without(rc::Random(seed), 50).value();
    EXPECT_EQ(undeclared(rc::Random(seed), 50).value(), dense);
    EXPECT_EQ(BeyondDeclaration(c, none), c.experiment.experts.count > 1 ? "experts (not declared)" : "");
    counts.insert(c.experiment.experts.count);
    if (auto* mlp = std::get_if<MlpSpec>(&*c.experiment.model)) {
      EXPECT_EQ(c.experiment.experts.count, mlp->experts);
      EXPECT_EQ(c.experiment.experts.parameters, ExpertsOf(*mlp).parameters);
      MlpSpec without_experts = *mlp;
      without_experts.experts = 1;
      SetModel(c.experiment, without_experts);
    }
    c.bucket_cap_bytes = dense.bucket_cap_bytes;
    c.experiment.max_norm = dense.experiment.max_norm;
    EXPECT_EQ(c, dense);
  }
  EXPECT_EQ(counts, (std::set<int>{1, 2, 3, 6}));
}

/// Heads of keys and values stay, each with two or three heads of queries; nothing else of a case is drawn otherwise.
TEST(DrawKvHeads, GivesHeadsOfQueriesAndLeavesAllElse) {
  CaseSpace plain = ModelSpace();
  plain.vary.insert("tensor");
  CaseSpace space = plain;
  space.vary.insert("kv_heads");
  const CaseConditions conditions{4, Precision::kFp32, {}};
  const auto with = CasesOf(space, conditions, EverythingCapable()),
             without = CasesOf(plain, conditions, EverythingCapable());
  int grouped = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Case c = with(rc::Random(seed), 50).value();
    const Case own = without(rc::Random(seed), 50).value();
    GptSpec* gpt = std::get_if<GptSpec>(&*c.experiment.model);
    if (gpt && gpt->kv_heads != gpt->heads) {
      ++grouped;
      EXPECT_EQ(c.experiment.parameters, ModelParameters(*c.experiment.model));
      const GptSpec& plain_gpt = std::get<GptSpec>(*own.experiment.model);
      EXPECT_EQ(gpt->kv_heads, plain_gpt.heads);
      EXPECT_EQ(gpt->width / gpt->heads, plain_gpt.width / plain_gpt.heads);
      EXPECT_EQ(gpt->kv_heads % gpt->slice_order.slices, 0);
      c.experiment.model = own.experiment.model;
      c.experiment.parameters = own.experiment.parameters;
      continue;
    }
    EXPECT_EQ(c, own);
  }
  EXPECT_GT(grouped, 15);
}

}  // namespace
}  // namespace zerocts
