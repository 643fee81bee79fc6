#include "reference/experiment/experiment.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "reference/experiment/semantics_for_test.hpp"

namespace zerocts {
namespace {

Experiment GoodExperiment() {
  Experiment e;
  e.parameters = {{"a", {2, 3}, 0}, {"b", {}, 1}, {"c", {0}, 0}};
  e.groups = {HyperParameters{}, HyperParameters{}};
  return e;
}

Experiment GoodModelExperiment() {
  Experiment e = GoodExperiment();
  e.model = MlpSpec{};
  e.parameters = ModelParameters(*e.model);
  e.gradients = GradientSource::kModel;
  e.initial = InitialValues::kModel;
  e.batch = 4;
  e.text = "some.txt";
  e.text_hash = std::string(32, '0');
  return e;
}

TEST(Experiment, CountsElements) {
  EXPECT_EQ(TotalNumel(GoodExperiment()), 7);
  EXPECT_EQ(FlatOffsets(GoodExperiment()), (std::vector<int64_t>{0, 6, 7, 7}));
}

TEST(Experiment, AppliesChangesFromTheirStepOn) {
  Experiment e = GoodExperiment();
  e.groups[0].lr = 1.0f;
  HyperParameters half, quarter;
  half.lr = 0.5f;
  quarter.lr = 0.25f;
  e.changes = {{2, 0, half}, {2, 1, quarter}, {4, 0, quarter}};
  EXPECT_EQ(GroupsAtStep(e, 1)[0].lr, 1.0f);
  EXPECT_EQ(GroupsAtStep(e, 2)[0].lr, 0.5f);
  EXPECT_EQ(GroupsAtStep(e, 3)[1].lr, 0.25f);
  EXPECT_EQ(GroupsAtStep(e, 9)[0].lr, 0.25f);
}

TEST(Experiment, TakesALearningRateTable) {
  Experiment e = GoodExperiment();
  e.groups[1].weight_decay = 0.5f;
  SetLearningRates(e, std::vector<float>{1.0f, 2.0f, 2.0f, 1.0f});
  EXPECT_EQ(e.changes.size(), 4u);  // two groups, two changes
  EXPECT_EQ(Problem(e), "");
  for (const auto& [step, rate] : std::vector<std::pair<int, float>>{{0, 1.0f}, {1, 2.0f}, {2, 2.0f}, {3, 1.0f}}) {
    EXPECT_EQ(GroupsAtStep(e, step)[0].lr, rate);
    EXPECT_EQ(GroupsAtStep(e, step)[1].lr, rate);
    EXPECT_EQ(GroupsAtStep(e, step)[1].weight_decay, 0.5f);
  }
}

struct BadExperiment {
  std::function<void(Experiment&)> spoil;
  std::string sentence;
};

void ExpectProblems(const Experiment& good, const std::vector<BadExperiment>& bad) {
  EXPECT_EQ(Problem(good), "");
  for (const auto& [spoil, sentence] : bad) {
    Experiment e = good;
    spoil(e);
    EXPECT_EQ(Problem(e), sentence);
  }
}

TEST(Problem, NamesTheField) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  ExpectProblems(
      GoodExperiment(),
      {
          {[](Experiment& e) { e.parameters.clear(); }, "parameters: expected 1 or more, got none"},
          {[](Experiment& e) { e.parameters[1].name = e.parameters[0].name; },
           "parameters[1].name: expected a name of its own, got \"a\""},
          {[](Experiment& e) { e.parameters[1].name.clear(); }, "parameters[1].name: expected some text, got \"\""},
          {[](Experiment& e) {
             e.parameters[0].shape = {2, -3};
           },
           "parameters[0].shape: expected dimensions of 0 or more, got -3"},
          {[](Experiment& e) {
             e.parameters[0].shape = {int64_t{1} << 30, 1 << 20};
           },
           "parameters[0].shape: expected at most 2^40 elements, got more"},
          {[](Experiment& e) { e.parameters[0].shape = e.parameters[1].shape = {int64_t{1} << 40}; },
           "parameters: expected at most 2^40 elements in all, got more"},
          {[](Experiment& e) { e.parameters[1].group = 2; },
           "parameters[1].group: expected an index into the 2 groups, got 2"},
          {[](Experiment& e) { e.groups.clear(); }, "groups: expected 1 or more, got none"},
          {[=](Experiment& e) { e.groups[1].lr = nan; },
           "groups[1].lr: expected a finite number of 0 or more, got nan"},
          {[](Experiment& e) { e.groups[1].weight_decay = -0.5f; },
           "groups[1].weight_decay: expected a finite number of 0 or more, got -0.5"},
          {[](Experiment& e) { e.groups[0].momentum = 1.0f; },
           "groups[0].momentum: expected 0 or more and less than 1, got 1"},
          {[](Experiment& e) { e.groups[0].beta1 = -0.1f; },
           "groups[0].beta1: expected 0 or more and less than 1, got -0.1"},
          {[](Experiment& e) { e.groups[0].beta2 = 1.5f; },
           "groups[0].beta2: expected 0 or more and less than 1, got 1.5"},
          {[](Experiment& e) { e.groups[0].eps = 0.0f; }, "groups[0].eps: expected a finite number above 0, got 0"},
          {Set(&Experiment::changes, {{2, 0, {}}, {1, 0, {}}}),
           "changes[1].step: expected 2 or more, ascending, got 1"},
          {Set(&Experiment::changes, {{1, 2, {}}}), "changes[0].group: expected an index into the 2 groups, got 2"},
          {Set(&Experiment::changes, {{1, 0, {}}, {1, 0, {}}}),
           "changes[1].group: expected a group without another change at step 1, got 0"},
          {[=](Experiment& e) {
             e.changes = {{1, 0, {}}};
             e.changes[0].values.lr = infinity;
           },
           "changes[0].values.lr: expected a finite number of 0 or more, got inf"},
          {[](Experiment& e) { e.max_norm = -1.0f; }, "max_norm: expected a finite number of 0 or more, got -1"},
          {[=](Experiment& e) { e.clip_epsilon = nan; },
           "clip_epsilon: expected a finite number of 0 or more, got nan"},
          {[](Experiment& e) { e.world_size = 0; }, "world_size: expected 1 or more, got 0"},
          {[](Experiment& e) { e.micro_batches = -1; }, "micro_batches: expected 1 or more, got -1"},
          {[](Experiment& e) { e.steps = 0; }, "steps: expected 1 or more, got 0"},
          {[](Experiment& e) { e.world_size = e.micro_batches = 2000; },
           "world_size * micro_batches: expected at most 2^20, got 4000000"},
          {[](Experiment& e) { e.gradient_exponent = 128; }, "gradient_exponent: expected -149 to 115, got 128"},
          {[](Experiment& e) {
             e.precision = Precision::kBf16;
             e.gradient_exponent = -134;
           },
           "gradient_exponent: expected -133 to 117, got -134"},
          {[](Experiment& e) { e.initial_exponent = -150; }, "initial_exponent: expected -149 to 122, got -150"},
          {[](Experiment& e) {
             e.precision = Precision::kBf16;
             e.world_size = 127;
           },
           "world_size * micro_batches: expected a count with a smaller odd part because index_coded gradients have to "
           "be exact in bf16, "
           "got 127"},
          {[](Experiment& e) { e.gradients = GradientSource::kModel; },
           "model: expected one because gradients or initial values come from it, got none"},
          {[](Experiment& e) { e.initial = InitialValues::kModel; },
           "model: expected one because gradients or initial values come from it, got none"},
      });
}

TEST(Problem, NamesTheFieldOfAModel) {
  ExpectProblems(
      GoodModelExperiment(),
      {
          {[](Experiment& e) { e.model = MlpSpec{.vocab = 0}; }, "model.mlp.vocab: expected 1 to 2^20, got 0"},
          {[](Experiment& e) {
             e.model = MlpSpec{.hidden = {4, int64_t{1} << 50}};
           },
           "model.mlp.hidden[1]: expected 1 to 2^20, got 1125899906842624"},
          {[](Experiment& e) { e.model = GptSpec{.layers = 0}; }, "model.gpt.layers: expected 1 to 2^20, got 0"},
          {[](Experiment& e) { e.model = GptSpec{.heads = 5, .width = 64}; },
           "model.gpt.heads: expected a divisor of the width 64, got 5"},
          {[](Experiment& e) { e.model = GptSpec{.heads = 4, .kv_heads = 3, .width = 64}; },
           "model.gpt.kv_heads: expected a divisor of the heads 4, got 3"},
          {[](Experiment& e) { e.model = GptSpec{.heads = 4, .kv_heads = 0, .width = 64}; },
           "model.gpt.kv_heads: expected 1 to 2^20, got 0"},
          {[](Experiment& e) {
             e.model = GptSpec{.heads = 4, .kv_heads = 2, .width = 64, .slice_order = {.slices = 4}};
           },
           "model.gpt.slices: expected a divisor of the kv_heads 2, got 4"},
          {[](Experiment& e) { e.model = GptSpec{.heads = 4, .width = 64, .slice_order = {.slices = 3}}; },
           "model.gpt.slices: expected a divisor of the heads 4, got 3"},
          {[](Experiment& e) { e.model = MlpSpec{.slice_order = {.slices = 0}}; },
           "model.mlp.slices: expected 1 to 2^10, got 0"},
          {[](Experiment& e) { e.parameters[1].group = 1 - e.parameters[1].group; },
           "parameters: expected those of the model, in its order, shapes and groups, got others"},
          {[](Experiment& e) { e.parameters.pop_back(); },
           "parameters: expected those of the model, in its order, shapes and groups, got others"},
          {[](Experiment& e) { e.groups.pop_back(); },
           "parameters[2].group: expected an index into the 1 groups, got 1"},
          {[](Experiment& e) { e.batch = 0; }, "batch: expected 1 or more, got 0"},
          {[](Experiment& e) { e.text.clear(); },
           "text: expected the path of a text file because gradients come from the model, got \"\""},
          {[](Experiment& e) { e.text_hash.resize(1); },
           "text_hash: expected 32 hex digits (XXH3-128 of the text), got \"0\""},
      });
}

TEST(Names, ReadBack) {
  for (const auto source : {GradientSource::kModel, GradientSource::kIndexCoded, GradientSource::kOneHot,
                            GradientSource::kPythagorean, GradientSource::kUniform, GradientSource::kZero}) {
    EXPECT_EQ(GradientSourceFromString(ToString(source)), source);
  }
  for (const auto initial : {InitialValues::kIntegers, InitialValues::kUniform, InitialValues::kModel}) {
    EXPECT_EQ(InitialValuesFromString(ToString(initial)), initial);
  }
}

}  // namespace
}  // namespace zerocts
