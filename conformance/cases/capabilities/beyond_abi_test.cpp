#include "conformance/cases/capabilities/beyond_abi.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "reference/experiment/experiment_json.hpp"

namespace zerocts {
namespace {

struct ExperimentFeature {
  std::string field;  // of the experiment's JSON
  std::function<void(Experiment&)> ask;
  std::string name;
};

Experiment OfAModel(Experiment e) {
  e.gradients = GradientSource::kModel;
  return e;
}

const std::vector<ExperimentFeature>& Features() {
  using E = Experiment;
  static const std::vector<ExperimentFeature> features = {
      {"roles",
       [](E& e) {
         e = OfAModel(e);
         e.roles.without_gradient = {{0, 0, 1}};
       },
       "parameters of a model without gradient"},
      {"roles",
       [](E& e) {
         e = OfAModel(e);
         e.roles.tied = {{1, 0}};
       },
       "tied parameters of a model"},
  };
  return features;
}

TEST(BeyondAbi, NamesWhatTheHeaderCannotSay) {
  for (const ExperimentFeature& feature : Features()) {
    Experiment e;
    e.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
    EXPECT_EQ(BeyondAbi(e), "");
    feature.ask(e);
    EXPECT_EQ(BeyondAbi(e), feature.name + " (zerocts_subject.h version 1 cannot say it)");
  }
}

TEST(BeyondAbi, WhatTheHeaderSaysIsCarried) {
  using E = Experiment;
  const std::function<void(E&)> asked[] = {
      [](E& e) { e.optimizer = OptimizerKind::kLamb; },
      [](E& e) { e.groups[0].dampening = 0.5f; },
      [](E& e) { e.clip_norm = NormKind::kInfinity; },
      [](E& e) { e.clip_formula = ClipFormula::kTorch; },
      [](E& e) { e.accumulation = e.reduction = Precision::kBf16; },
      [](E& e) { e.loss_scaling.kind = LossScaleKind::kDynamic; },
      [](E& e) {
        e.roles.frozen = {{0, 0, 1}};
      },
      [](E& e) {
        e.roles.without_gradient = {{0, 0, 1}};
      },
      [](E& e) {
        e.roles.missing = {{0, 0, 0}};
      },
      [](E& e) {
        e.roles.tied = {{1, 0}};
      },
      [](E& e) { e.roles.buffers = {0}; },
      [](E& e) {
        e.roles.precisions = {{0, Precision::kBf16}};
      },
      [](E& e) {
        e = OfAModel(e);
        e.roles.frozen = {{0, 0, 1}};
        e.roles.buffers = {1};
        e.loss_scaling.kind = LossScaleKind::kStatic;
      },
  };
  for (const auto& ask : asked) {
    Experiment e;
    e.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
    ask(e);
    EXPECT_EQ(BeyondAbi(e), "");
  }
}

TEST(BeyondAbi, KnowsSgdVariantsWhereverTheyStand) {
  Experiment e;
  EXPECT_FALSE(HasSgdVariants(e));
  e.changes = {{1, 0, {.momentum = 0.5f, .nesterov = true}}};
  EXPECT_TRUE(HasSgdVariants(e));
  e.changes.clear();
  e.groups[0].dampening = 0.5f;
  EXPECT_TRUE(HasSgdVariants(e));
}

// A field of an experiment that neither the header says nor this list names would be lost on the way to a subject. What
// the header says: arguments of open, of set_group and of the calls that give gradients or batches.
TEST(BeyondAbi, KnowsEveryFieldOfAnExperiment) {
  const std::set<std::string> said_by_the_header = {"parameters",
                                                    "model",
                                                    "initial",
                                                    "precision",
                                                    "optimizer",
                                                    "groups",
                                                    "changes",
                                                    "max_norm",
                                                    "clip_epsilon",
                                                    "world_size",
                                                    "micro_batches",
                                                    "steps",
                                                    "gradients",
                                                    "gradient_exponent",
                                                    "initial_exponent",
                                                    "batch",
                                                    "text",
                                                    "text_hash",
                                                    "seed",
                                                    "planted",
                                                    "clip_norm",
                                                    "clip_formula",
                                                    "reduction",
                                                    "accumulation",
                                                    "loss_scaling",
                                                    "formula"};
  std::set<std::string> named;
  for (const ExperimentFeature& feature : Features()) named.insert(feature.field);
  const nlohmann::json fields = ToJson(Experiment{});
  for (const auto& [field, value] : fields.items()) {
    EXPECT_TRUE(said_by_the_header.contains(field) || named.contains(field)) << field;
  }
}

RC_GTEST_PROP(BeyondAbi, IsNeverDrawn, ()) {
  const auto shapes = *rc::gen::element(ShapeStyle::kMixed, ShapeStyle::kDegenerate, ShapeStyle::kLarge);
  const bool model = *rc::gen::arbitrary<bool>();
  const CaseSpace space = SemanticsOf(model ? ModelSpace() : EverythingOf(shapes));
  const Case c = *CasesOf(space, {3, Precision::kBf16, {}}, EverythingCapable());
  RC_ASSERT(BeyondAbi(c.experiment).empty());
}

}  // namespace
}  // namespace zerocts
