// Training semantics as a value: JSON, sentences about wrong values.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "reference/experiment/data.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/semantics_for_test.hpp"
#include "reference/optim/formula_names.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST(SemanticsJson, ReadsBackAndKeepsEveryField) {
  const Experiment e = EverythingSet();
  ASSERT_EQ(Problem(e), "");
  const json written = json::parse(ToJson(e).dump());
  EXPECT_EQ(ExperimentFromJson(written), e);
  // Each field of its own makes a difference.
  const json plain = ToJson(Experiment{});
  for (const char* name :
       {"formula", "clip_norm", "clip_formula", "accumulation", "reduction", "loss_scaling", "roles", "planted"}) {
    json other = written;
    other[name] = plain[name];
    EXPECT_FALSE(ExperimentFromJson(other) == e) << name;
  }
}

TEST(SemanticsJson, WhatIsAbsentHasItsDefault) {
  Experiment e;
  e.parameters = {{"a", {2}, 0}};
  json written = ToJson(e);
  for (const char* name :
       {"formula", "clip_norm", "clip_formula", "accumulation", "reduction", "loss_scaling", "roles", "planted"}) {
    ASSERT_EQ(written.erase(name), 1u) << name;
  }
  written["groups"][0].erase("dampening");
  written["groups"][0].erase("nesterov");
  EXPECT_EQ(ExperimentFromJson(written), e);
  EXPECT_EQ(e.formula, OptimizerFormula{});
  EXPECT_EQ(e.clip_norm, NormKind::kTwo);
  EXPECT_EQ(e.loss_scaling.kind, LossScaleKind::kNone);
}

TEST(SemanticsJson, NamesTheWrongField) {
  const std::pair<std::function<void(json&)>, std::string> bad[] = {
      {[](json& j) { j["formula"]["epsilon"] = "middle"; },
       "experiment.formula.epsilon: expected one of outside, outside_uncorrected, inside, inside_uncorrected; got "
       "\"middle\""},
      {[](json& j) { j["formula"].erase("decay"); }, "experiment.formula.decay: expected this field, it is missing"},
      {[](json& j) { j["formula"]["order"] = 1; }, "experiment.formula.order: unknown field"},
      {[](json& j) { j["formula"] = "torch"; }, "experiment.formula: expected an object, got \"torch\""},
      {[](json& j) { j["clip_norm"] = "3"; }, "experiment.clip_norm: expected one of 1, 2, inf; got \"3\""},
      {[](json& j) { j["clip_formula"] = "max"; },
       "experiment.clip_formula: expected one of min, torch, above, deepspeed, deepspeed_fp64, deepspeed_reciprocal; "
       "got \"max\""},
      {[](json& j) { j["accumulation"] = "fp16"; },
       "experiment.accumulation: expected one of fp32, bf16; got \"fp16\""},
      {[](json& j) { j["reduction"] = 1; }, "experiment.reduction: expected text, got 1"},
      {[](json& j) { j["loss_scaling"]["kind"] = "auto"; },
       "experiment.loss_scaling.kind: expected one of none, static, dynamic; got \"auto\""},
      {[](json& j) { j["loss_scaling"]["window"] = 1; }, "experiment.loss_scaling.window: unknown field"},
      {[](json& j) { j["roles"]["tied"][0].erase("owner"); },
       "experiment.roles.tied[0].owner: expected this field, it is missing"},
      {[](json& j) { j["roles"]["buffers"][0] = "x"; },
       "experiment.roles.buffers[0]: expected an integer from -2147483648 to 2147483647, got \"x\""},
      {[](json& j) { j["roles"]["buffers"][0] = int64_t{1} << 40; },
       "experiment.roles.buffers[0]: expected an integer from -2147483648 to 2147483647, got 1099511627776"},
      {[](json& j) { j["roles"]["precisions"][0]["precision"] = "fp8"; },
       "experiment.roles.precisions[0].precision: expected one of fp32, bf16; got \"fp8\""},
      {[](json& j) { j["planted"][0]["value"] = "zero"; },
       "experiment.planted[0].value: expected one of inf, -inf, nan; got \"zero\""},
      {[](json& j) { j["groups"][0]["nesterov"] = 1; }, "experiment.groups[0].nesterov: expected true or false, got 1"},
  };
  for (const auto& [spoil, sentence] : bad) {
    json spoilt = ToJson(EverythingSet());
    spoil(spoilt);
    try {
      ExperimentFromJson(spoilt);
      ADD_FAILURE() << "accepted, expected: " << sentence;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), sentence);
    }
  }
}

TEST(SemanticsProblem, NamesTheFieldOfTheOptimizer) {
  using E = Experiment;
  ExpectSentences({
      {[](E& e) { e.groups[0].dampening = 0.25f; },
       "groups[0].nesterov: expected false, or a momentum above 0 without dampening, got true"},
      {[](E& e) { e.groups[0].momentum = 0.0f; },
       "groups[0].nesterov: expected false, or a momentum above 0 without dampening, got true"},
      {[](E& e) { e.changes[0].values.dampening = 1.0f; },
       "changes[0].values.dampening: expected 0 or more and less than 1, got 1"},
      {[](E& e) { e.optimizer = OptimizerKind::kSgd; },
       "formula: expected decay, bias_correction, epsilon and update at their defaults because sgd has none of them, "
       "got "
       "others"},
      {[](E& e) { e.formula.decay = DecayPosition::kUpdate; },
       "formula.update: expected quotient because the decay is part of the update, got \"product_first\""},
      {[](E& e) { e.optimizer = OptimizerKind::kAdam; },
       "formula.decay: expected gradient (or the default) because that is what adam is, got \"after\""},
      {[](E& e) { e.optimizer = OptimizerKind::kLamb; },
       "formula.decay: expected update because lamb computes an update before it knows its length, got \"after\""},
      {[](E& e) {
         e.optimizer = OptimizerKind::kLamb;
         e.formula.decay = DecayPosition::kUpdate;
       },
       "formula.update: expected quotient because lamb computes an update before it knows its length, got "
       "\"product_first\""},
      {[](E& e) {
         e.optimizer = OptimizerKind::kLamb;
         e.formula = {.bias_correction = BiasCorrection::kFolded};
       },
       "formula.bias_correction: expected separate or none because lamb computes an update before it knows its length, "
       "got \"folded\""},
  });
}

TEST(SemanticsProblem, IsOfMuonWhatIsNoMatrixOrIsDampened) {
  Experiment e{.parameters = {{"a", {2, 3}, 0}, {"b", {0, 4}, 0}, {"ids", {5}, 0}}, .groups = {HyperParameters{}}};
  e.optimizer = OptimizerKind::kMuon;
  e.formula = {.matrix_products = MatrixProducts::kBf16};
  e.roles.buffers = {2};
  EXPECT_EQ(Problem(e), "");
  EXPECT_EQ(ExperimentFromJson(json::parse(ToJson(e).dump())), e);
  const auto problem = [&](const std::function<void(Experiment&)>& change) {
    Experiment changed = e;
    change(changed);
    return Problem(changed);
  };
  EXPECT_EQ(problem([](Experiment& x) { x.parameters[1].shape = {4}; }),
            "parameters[1].shape: expected two dimensions because muon moves matrices, got 1");
  EXPECT_EQ(problem([](Experiment& x) { x.roles.buffers.clear(); }),
            "parameters[2].shape: expected two dimensions because muon moves matrices, got 1");
  EXPECT_EQ(problem([](Experiment& x) { x.groups[0].momentum = 0.5f, x.groups[0].dampening = 0.25f; }),
            "groups[0].dampening: expected 0 because muon has none, got 0.25");
  EXPECT_EQ(problem([](Experiment& x) {
              x.changes = {{1, 0, {.dampening = 0.25f}}};
            }),
            "changes[0].values.dampening: expected 0 because muon has none, got 0.25");
  EXPECT_EQ(problem([](Experiment& x) { x.formula.epsilon = EpsilonPosition::kInside; }),
            "formula: expected decay, bias_correction, epsilon and update at their defaults because muon has none of "
            "them, got others");
  EXPECT_EQ(problem([](Experiment& x) { x.optimizer = OptimizerKind::kAdamW; }),
            "formula.matrix_products: expected fp32 because adamw multiplies no matrices, got \"bf16\"");
}

TEST(SemanticsProblem, AcceptsTheFormulasOfTorch) {
  for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kAdam, OptimizerKind::kAdamW}) {
    Experiment e = EverythingSet();
    e.optimizer = kind;
    e.formula = TorchFormula(kind);
    EXPECT_EQ(Problem(e), "");
  }
}

TEST(SemanticsProblem, NamesTheFieldOfTheLossScale) {
  using E = Experiment;
  ExpectSentences({
      {[](E& e) { e.loss_scaling.scale = 0.0f; }, "loss_scaling.scale: expected a finite number above 0, got 0"},
      {[](E& e) { e.loss_scaling.scale = INFINITY; }, "loss_scaling.scale: expected a finite number above 0, got inf"},
      {[](E& e) { e.loss_scaling.growth_factor = 0.5f; }, "loss_scaling.growth_factor: expected 1 or more, got 0.5"},
      {[](E& e) { e.loss_scaling.backoff_factor = 2.0f; }, "loss_scaling.backoff_factor: expected at most 1, got 2"},
      {[](E& e) { e.loss_scaling.backoff_factor = 0.0f; },
       "loss_scaling.backoff_factor: expected a finite number above 0, got 0"},
      {[](E& e) { e.loss_scaling.growth_interval = 0; }, "loss_scaling.growth_interval: expected 1 or more, got 0"},
      {[](E& e) { e.loss_scaling.hysteresis = 0; }, "loss_scaling.hysteresis: expected 1 or more, got 0"},
      {[](E& e) { e.loss_scaling.minimum = -1.0f; }, "loss_scaling.minimum: expected a finite number above 0, got -1"},
      {[](E& e) { e.loss_scaling.minimum = 16.0f; }, "loss_scaling.minimum: expected at most the scale, got 16"},
  });
}

TEST(SemanticsProblem, NamesTheRoleOrThePlantedValue) {
  using E = Experiment;
  ExpectSentences({
      {Set(&ParameterRoles::buffers, {4}), "roles.buffers[0]: expected an index into the 4 parameters, got 4"},
      {Set(&ParameterRoles::buffers, {2, 2}), "roles.buffers[1]: expected every buffer once, got 2"},
      {[](E& e) { e.roles.tied[0].owner = -1; },
       "roles.tied[0].owner: expected an index into the 4 parameters, got -1"},
      {[](E& e) {
         e.roles.tied[0] = {1, 2};
       },
       "roles.tied[0].owner: expected a parameter that is no buffer, got 2"},
      {[](E& e) {
         e.roles.tied[0] = {1, 3};
       },
       "roles.tied[0].owner: expected a parameter before 1, got 3"},
      {[](E& e) {
         e.roles.tied[0] = {3, 0};
       },
       "roles.tied[0].parameter: expected the shape of its owner a, got \"d\""},
      {[](E& e) {
         e.groups.resize(2);
         e.parameters[1].group = 1;
       },
       "roles.tied[0].parameter: expected the group of its owner a, got \"b\""},
      {[](E& e) {
         e.roles.tied.push_back({1, 0});
       },
       "roles.tied[1].parameter: expected every name once, got 1"},
      {[](E& e) {
         e.parameters[3].shape = {2, 3};
         e.roles.tied.push_back({3, 1});
       },
       "roles.tied[1].owner: expected the owner of tied parameters, got 1"},
      {[](E& e) { e.roles.frozen[0].parameter = 7; },
       "roles.frozen[0].parameter: expected an index into the 4 parameters, got 7"},
      {[](E& e) { e.roles.frozen[0].parameter = 1; },
       "roles.frozen[0].parameter: expected the owner of tied parameters, got 1"},
      {[](E& e) { e.roles.frozen[0].parameter = 2; },
       "roles.frozen[0].parameter: expected a parameter that is no buffer, got 2"},
      {[](E& e) { e.roles.frozen[0].begin = -1; }, "roles.frozen[0].begin: expected 0 or more, got -1"},
      {[](E& e) { e.roles.without_gradient[0].end = 0; },
       "roles.without_gradient[0].end: expected more than begin, 0, got 0"},
      {[](E& e) { e.roles.precisions[0].parameter = 1; },
       "roles.precisions[0].parameter: expected the owner of tied parameters, got 1"},
      {[](E& e) { e.roles.precisions.push_back(e.roles.precisions[0]); },
       "roles.precisions[1].parameter: expected every parameter once, got 3"},
      {[](E& e) { e.planted[0].step = 4; }, "planted[0].step: expected 0 to 3, got 4"},
      {[](E& e) { e.planted[0].g = 1; }, "planted[0].g: expected 0 to 0, got 1"},
      {[](E& e) { e.planted[0].parameter = 4; },
       "planted[0].parameter: expected an index into the 4 parameters, got 4"},
      {[](E& e) { e.planted[0].element = 6; }, "planted[0].element: expected 0 to 5, got 6"},
  });
}

TEST(SemanticsProblem, OfAModelsPrecisionAndPlantedValues) {
  Experiment e;
  e.model = MlpSpec{};
  e.parameters = ModelParameters(*e.model);
  e.groups.resize(2);
  e.gradients = GradientSource::kModel;
  e.batch = 4;
  e.text = "some.txt";
  e.text_hash = std::string(32, '0');
  e.roles.precisions = {{0, Precision::kFp32}};
  EXPECT_EQ(Problem(e), "");
  e.precision = Precision::kBf16;
  EXPECT_EQ(Problem(e),
            "roles.precisions[0].precision: expected bf16 because a bf16 model rounds every gradient, got \"fp32\"");
  e.roles = {};
  e.planted = {{0, 0, 0, 0, NonFinite::kNan}};
  EXPECT_EQ(Problem(e), "planted[0]: expected given gradients, got those of a model");
}

TEST(ExactExperiments, AreThoseWithoutARoundedSum) {
  using E = Experiment;
  const auto is_exact = [](const std::function<void(E&)>& change) {
    Experiment e;
    e.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
    change(e);
    return IsExact(e);
  };
  EXPECT_TRUE(is_exact([](E&) {}));
  EXPECT_FALSE(is_exact([](E& e) { e.gradients = GradientSource::kUniform; }));
  EXPECT_FALSE(is_exact([](E& e) { e.accumulation = Precision::kBf16; }));
  EXPECT_FALSE(is_exact([](E& e) { e.reduction = Precision::kBf16; }));
  EXPECT_TRUE(is_exact(Set(&Experiment::loss_scaling, {.kind = LossScaleKind::kDynamic, .scale = 8.0f})));
  EXPECT_FALSE(is_exact(Set(&Experiment::loss_scaling, {.kind = LossScaleKind::kStatic, .scale = 3.0f})));
  EXPECT_FALSE(is_exact(Set(&Experiment::loss_scaling, {.kind = LossScaleKind::kDynamic, .growth_factor = 3.0f})));
  EXPECT_TRUE(is_exact(Set(&ParameterRoles::tied, {{1, 0}})));
  EXPECT_FALSE(is_exact([](E& e) {
    e.roles.tied = {{1, 0}};
    e.roles.precisions = {{0, Precision::kBf16}};
  }));
}

TEST(PlantedValue, StandsInTheGradientOfItsMicroBatch) {
  Experiment e = EverythingSet();
  e.world_size = 2;
  e.planted = {
      {1, 1, 0, 5, NonFinite::kNan}, {2, 0, 0, 0, NonFinite::kInfinity}, {2, 0, 0, 1, NonFinite::kMinusInfinity}};
  ASSERT_EQ(Problem(e), "");
  for (int step = 0; step < 3; ++step) {
    for (int g = 0; g < 2; ++g) {
      std::vector<float> gradient(6);
      FillGradient(e, step, g, 0, gradient.data());
      for (int i = 0; i < 6; ++i) {
        const bool nan = step == 1 && g == 1 && i == 5, infinite = step == 2 && g == 0 && i < 2;
        EXPECT_EQ(std::isnan(gradient[i]), nan);
        EXPECT_EQ(std::isinf(gradient[i]), infinite);
        EXPECT_TRUE(!infinite || std::signbit(gradient[i]) == (i == 1));
      }
    }
  }
}

}  // namespace
}  // namespace zerocts
