#include "conformance/cases/beyond_abi.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "conformance/cases/generate.hpp"
#include "conformance/cases/test_spaces.hpp"
#include "reference/experiment/experiment_json.hpp"

namespace zerocts {
namespace {

struct Feature {
  std::string field;  // of the experiment's JSON
  std::function<void(Experiment&)> ask;
  std::string name;
};

const std::vector<Feature>& Features() {
  using E = Experiment;
  static const std::vector<Feature> features = {
      {"optimizer", [](E& e) { e.optimizer = OptimizerKind::kAdam; }, "the optimizer adam"},
      {"optimizer", [](E& e) { e.optimizer = OptimizerKind::kLamb; }, "the optimizer lamb"},
      {"formula", [](E& e) { e.formula.moments = MomentOrder::kLerp; }, "another formula of sgd"},
      {"groups", [](E& e) { e.groups[0].dampening = 0.5f; }, "dampening or nesterov"},
      {"changes",
       [](E& e) {
         e.changes = {{1, 0, {.momentum = 0.5f, .nesterov = true}}};
       },
       "dampening or nesterov"},
      {"clip_norm", [](E& e) { e.clip_norm = NormKind::kInfinity; }, "clipping by the norm inf"},
      {"clip_formula", [](E& e) { e.clip_formula = ClipFormula::kTorch; }, "the clip formula torch"},
      {"accumulation", [](E& e) { e.accumulation = Precision::kBf16; }, "accumulation in bf16"},
      {"reduction", [](E& e) { e.reduction = Precision::kBf16; }, "reduction in bf16"},
      {"loss_scaling", [](E& e) { e.loss_scaling.kind = LossScaleKind::kDynamic; }, "loss scaling"},
      {"roles",
       [](E& e) {
         e.roles.frozen = {{0, 0, 1}};
       },
       "frozen parameters"},
      {"roles",
       [](E& e) {
         e.roles.without_gradient = {{0, 0, 1}};
       },
       "parameters without gradient"},
      {"roles",
       [](E& e) {
         e.roles.tied = {{1, 0}};
       },
       "tied parameters"},
      {"roles", [](E& e) { e.roles.buffers = {0}; }, "buffers"},
      {"roles",
       [](E& e) {
         e.roles.precisions = {{0, Precision::kBf16}};
       },
       "parameters of several precisions"},
  };
  return features;
}

TEST(BeyondAbi, NamesWhatTheHeaderCannotSay) {
  for (const Feature& feature : Features()) {
    Experiment e;
    e.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
    EXPECT_EQ(BeyondAbi(e), "");
    feature.ask(e);
    EXPECT_EQ(BeyondAbi(e), feature.name + " (zerocts_subject.h version 1 cannot say it)");
  }
}

// A field of an experiment that neither the header says nor this list names would be lost on the way to a subject. What
// the header says: arguments of open, of set_group and of the calls that give gradients or batches.
TEST(BeyondAbi, KnowsEveryFieldOfAnExperiment) {
  const std::set<std::string> said_by_the_header = {
      "parameters", "model",        "initial",    "precision",     "optimizer", "groups",    "changes",
      "max_norm",   "clip_epsilon", "world_size", "micro_batches", "steps",     "gradients", "gradient_exponent",
      "batch",      "text",         "text_hash",  "seed",          "planted"};
  std::set<std::string> named;
  for (const Feature& feature : Features()) named.insert(feature.field);
  const nlohmann::json fields = ToJson(Experiment{});
  for (const auto& [field, value] : fields.items()) {
    EXPECT_TRUE(said_by_the_header.contains(field) || named.contains(field)) << field;
  }
}

RC_GTEST_PROP(BeyondAbi, IsNeverDrawn, ()) {
  const auto shapes = *rc::gen::element(ShapeStyle::kMixed, ShapeStyle::kDegenerate, ShapeStyle::kLarge);
  const bool model = *rc::gen::arbitrary<bool>();
  const Case c =
      *CasesOf(model ? ModelSpace() : EverythingOf(shapes), {3, Precision::kBf16, {}, {}}, EverythingCapable());
  RC_ASSERT(BeyondAbi(c.experiment).empty());
}

}  // namespace
}  // namespace zerocts
