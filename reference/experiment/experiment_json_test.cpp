#include "reference/experiment/experiment_json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "reference/experiment/json_fields.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

float AnyFiniteFloat() {
  return *rc::gen::suchThat(rc::gen::map(rc::gen::arbitrary<uint32_t>(), FromBits),
                            [](float x) { return std::isfinite(x); });
}

template <typename Enum>
Enum AnyOf(std::initializer_list<Enum> choices) {
  return *rc::gen::elementOf(std::vector<Enum>(choices));
}

HyperParameters AnyHyperParameters() {
  return {AnyFiniteFloat(), AnyFiniteFloat(), AnyFiniteFloat(), AnyFiniteFloat(),
          AnyFiniteFloat(), AnyFiniteFloat(), AnyFiniteFloat(), *rc::gen::arbitrary<bool>()};
}

/// Any values of the right types; JSON does not ask whether they make sense.
Experiment AnyExperiment() {
  Experiment e;
  const int parameters = *rc::gen::inRange(0, 4);
  for (int p = 0; p < parameters; ++p) {
    e.parameters.push_back(
        {*rc::gen::string<std::string>(), *rc::gen::arbitrary<std::vector<int64_t>>(), *rc::gen::arbitrary<int>()});
    for (char& c : e.parameters[p].name) c &= 0x7f;  // text is UTF-8
  }
  const int model = *rc::gen::inRange(0, 3);
  const auto any = [] { return *rc::gen::arbitrary<int64_t>(); };
  const SliceOrder order{any(), AnyOf({Rounding::kFp32, Rounding::kBf16})};
  if (model == 1) e.model = MlpSpec{any(), any(), any(), *rc::gen::arbitrary<std::vector<int64_t>>(), order};
  if (model == 2) e.model = GptSpec{any(), any(), any(), any(), any(), any(), *rc::gen::arbitrary<bool>(), order};
  e.initial_exponent = *rc::gen::arbitrary<int>();
  e.initial = AnyOf({InitialValues::kIntegers, InitialValues::kUniform, InitialValues::kModel});
  e.precision = AnyOf({Precision::kFp32, Precision::kBf16});
  e.optimizer = AnyOf(
      {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb, OptimizerKind::kMuon});
  e.groups = {AnyHyperParameters(), AnyHyperParameters()};
  e.changes = {{*rc::gen::arbitrary<int64_t>(), *rc::gen::arbitrary<int>(), AnyHyperParameters()}};
  e.max_norm = AnyFiniteFloat();
  e.clip_epsilon = AnyFiniteFloat();
  e.world_size = *rc::gen::arbitrary<int>();
  e.micro_batches = *rc::gen::arbitrary<int>();
  e.steps = *rc::gen::arbitrary<int64_t>();
  e.gradients = AnyOf({GradientSource::kModel, GradientSource::kIndexCoded, GradientSource::kZero});
  e.gradient_exponent = *rc::gen::arbitrary<int>();
  e.batch = *rc::gen::arbitrary<int64_t>();
  e.text = "/some/where.txt";
  e.seed = AnyOf<uint64_t>(
      {0, 1, uint64_t{1} << 53, (uint64_t{1} << 53) + 1, ~uint64_t{0}, *rc::gen::arbitrary<uint64_t>()});
  return e;
}

RC_GTEST_PROP(ExperimentJson, ReadsBackToTheSameValue, ()) {
  const Experiment e = AnyExperiment();
  RC_ASSERT(ExperimentFromJson(json::parse(ToJson(e).dump())) == e);
}

TEST(ModelJson, HasKvHeadsOnlyWhereTheyAreFewerThanHeads) {
  const auto kv_heads = [](const json& gpt) {
    return std::get<GptSpec>(ModelSpecFromJson({{"gpt", gpt}}, "")).kv_heads;
  };
  json grouped = ToJson(ModelSpec(GptSpec{.heads = 6, .kv_heads = 2}))["gpt"];
  EXPECT_EQ(grouped["kv_heads"], 2);
  EXPECT_EQ(kv_heads(grouped), 2);
  grouped.erase("kv_heads");
  EXPECT_EQ(kv_heads(grouped), 6);
  EXPECT_EQ(ToJson(ModelSpec(GptSpec{.heads = 6}))["gpt"], grouped);
}

RC_GTEST_PROP(ExperimentJson, KeepsEveryBitOfAFloat, ()) {
  const float x = AnyFiniteFloat();
  const json read = json::parse(FloatToJson(x).dump());
  RC_ASSERT(Bits(static_cast<float>(read.get<double>())) == Bits(x));
}

TEST(ExperimentJson, WritesShortFloats) {
  EXPECT_EQ(FloatToJson(0.1f).dump(), "0.1");
  EXPECT_EQ(FloatToJson(1e-8f).dump(), "1e-08");
  EXPECT_EQ(FloatToJson(-0.0f).dump(), "-0.0");
  EXPECT_EQ(FloatToJson(3.0f).dump(), "3.0");
}

Experiment SmallExperiment() {
  Experiment e;
  e.parameters = {{"a", {2, 3}, 0}};
  e.model = MlpSpec{};
  e.changes = {{1, 0, {}}};
  return e;
}

TEST(ExperimentJson, TakesTheSeedAsTextOrNumber) {
  json written = ToJson(SmallExperiment());
  written["seed"] = "18446744073709551615";
  EXPECT_EQ(ExperimentFromJson(written).seed, ~uint64_t{0});
  written["seed"] = ~uint64_t{0};
  EXPECT_EQ(ExperimentFromJson(written).seed, ~uint64_t{0});
}

struct Bad {
  std::function<void(json&)> spoil;
  std::string sentence;
};

TEST(ExperimentJson, NamesTheWrongField) {
  const std::vector<Bad> bad = {
      {[](json& j) { j = 3; }, "experiment: expected an object, got 3"},
      {[](json& j) { j.erase("steps"); }, "experiment.steps: expected this field, it is missing"},
      {[](json& j) { j["step"] = 3; }, "experiment.step: unknown field"},
      {[](json& j) { j["steps"] = "three"; }, "experiment.steps: expected an integer, got \"three\""},
      {[](json& j) { j["steps"] = 2.5; }, "experiment.steps: expected an integer, got 2.5"},
      {[](json& j) { j["steps"] = ~uint64_t{0}; }, "experiment.steps: expected an integer, got 18446744073709551615"},
      {[](json& j) { j["world_size"] = int64_t{1} << 40; },
       "experiment.world_size: expected an integer from -2147483648 to 2147483647, got 1099511627776"},
      {[](json& j) { j["max_norm"] = nullptr; }, "experiment.max_norm: expected a finite fp32 number, got null"},
      {[](json& j) { j["max_norm"] = 1e39; }, "experiment.max_norm: expected a finite fp32 number, got 1e+39"},
      {[](json& j) { j["seed"] = -1; },
       "experiment.seed: expected an integer from 0 to 2^64 - 1, as a number or as text, got -1"},
      {[](json& j) { j["seed"] = "1x"; },
       "experiment.seed: expected an integer from 0 to 2^64 - 1, as a number or as text, got \"1x\""},
      {[](json& j) { j["text"] = 1; }, "experiment.text: expected text, got 1"},
      {[](json& j) { j["precision"] = "fp16"; }, "experiment.precision: expected one of fp32, bf16; got \"fp16\""},
      {[](json& j) { j["groups"] = {1}; }, "experiment.groups[0]: expected an object, got 1"},
      {[](json& j) { j["groups"][0].erase("lr"); }, "experiment.groups[0].lr: expected this field, it is missing"},
      {[](json& j) { j["changes"][0]["values"]["lr"] = "x"; },
       "experiment.changes[0].values.lr: expected a finite fp32 number, got \"x\""},
      {[](json& j) { j["parameters"] = json::object(); }, "experiment.parameters: expected an array, got {}"},
      {[](json& j) { j["parameters"][0]["shape"][1] = "x"; },
       "experiment.parameters[0].shape[1]: expected an integer, got \"x\""},
      {[](json& j) { j["model"]["mlp"]["depth"] = 1; }, "experiment.model.mlp.depth: unknown field"},
      {[](json& j) {
         j["model"] = {{"rnn", 1}};
       },
       "experiment.model: expected the field mlp or gpt, got {\"rnn\":1}"},
      {[](json& j) { j["model"] = 3; }, "experiment.model: expected an object with the one field mlp or gpt, got 3"},
  };
  for (const auto& [spoil, sentence] : bad) {
    json spoilt = ToJson(SmallExperiment());
    spoil(spoilt);
    try {
      ExperimentFromJson(spoilt);
      ADD_FAILURE() << "accepted, expected: " << sentence;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), sentence);
    }
  }
}

}  // namespace
}  // namespace zerocts
