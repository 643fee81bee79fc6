#include <gtest/gtest.h>

#include <cmath>

#include "reference/model/gradient_check.hpp"
#include "reference/model/model.hpp"
#include "reference/model/oracle_models.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr int64_t kBatch = 2, T = 3, C = 4, V = 7;
const GptSpec kSpec{.vocab = V, .context = T, .layers = 2, .heads = 2, .width = C, .tied = false};
const std::vector<int32_t> kInputs = {0, 6, 2, 3, 3, 3};
const std::vector<int32_t> kTargets = {6, 2, 5, 3, 3, 0};

using Tensors = std::vector<std::vector<float>>;

/// Embeddings in [-4, 4), so that rows are far from constant and their normalisation well conditioned; norm weights
/// near 1; everything else in [-0.25, 0.25).
Tensors RandomParameters(const ModelSpec& spec, Precision precision) {
  Tensors parameters;
  for (const ParameterSpec& parameter : ModelParameters(spec)) {
    const bool is_norm_weight = parameter.group == 1 && parameter.name.ends_with("weight");
    const bool is_embedding = parameter.name.ends_with("_embedding");
    const float centre = is_norm_weight ? 1.0f : 0.0f, bound = is_embedding ? 4.0f : 0.25f;
    std::vector<float> values(parameter.numel());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = centre + bound * RandomUniform(3, parameters.size(), static_cast<uint64_t>(i));
    }
    if (precision == Precision::kBf16) HostOps().RoundToBf16(values.data(), std::ssize(values));
    parameters.push_back(std::move(values));
  }
  return parameters;
}

struct GptRun {
  Tensors gradients;
  double loss = 0.0;
};

GptRun RunGpt(const GptSpec& spec, Precision precision, const Tensors& parameters, float loss_scale = 1.0f) {
  GptRun run;
  Model model(spec, precision, HostOps());
  std::vector<const float*> values;
  std::vector<float*> gradients;
  for (const ParameterSpec& parameter : model.parameters()) run.gradients.emplace_back(parameter.numel(), NAN);
  for (size_t p = 0; p < parameters.size(); ++p) {
    values.push_back(parameters[p].data());
    gradients.push_back(run.gradients[p].data());
  }
  run.loss = model.ForwardBackward(values, gradients, kInputs.data(), kTargets.data(), kBatch, loss_scale);
  return run;
}

void CheckAgainstOracle(GptSpec spec, Precision precision) {
  const Tensors parameters = RandomParameters(spec, precision);
  const GptRun run = RunGpt(spec, precision, parameters);
  oracle::Tensors<double> in_double;
  for (const auto& tensor : parameters) in_double.emplace_back(tensor.begin(), tensor.end());
  const oracle::Chain oracle = oracle::GptChain(spec, {kBatch, kInputs, kTargets}, {.operands = precision});
  const std::vector<double> mean(kTargets.size(), 1.0 / static_cast<double>(kTargets.size()));
  oracle::ExpectGradients(oracle, in_double, {}, mean, run.gradients, {}, precision);

  const Measured loss = Sum(oracle.Forward<Measured>(oracle::As<Measured>(in_double), {}));
  EXPECT_NEAR(run.loss * static_cast<double>(kTargets.size()), loss.value, loss.error);
}

TEST(Gpt, HasTheGradientOfFiniteDifferences) { CheckAgainstOracle(kSpec, Precision::kFp32); }

TEST(Gpt, HasTheGradientOfFiniteDifferencesInBf16) {
  GptSpec spec = kSpec;
  spec.layers = 1;
  CheckAgainstOracle(spec, Precision::kBf16);
}

TEST(Gpt, OfGroupedQueriesHasTheGradientOfFiniteDifferences) {
  for (const int64_t kv_heads : {1, 2}) {
    GptSpec spec = kSpec;
    spec.layers = 1;
    spec.heads = 4;
    spec.kv_heads = kv_heads;
    CheckAgainstOracle(spec, Precision::kFp32);
    CheckAgainstOracle(spec, Precision::kBf16);
  }
}

TEST(Gpt, InSlicesHasTheGradientOfFiniteDifferences) {
  GptSpec sliced = kSpec;
  sliced.slice_order = {.slices = 2};
  CheckAgainstOracle(sliced, Precision::kFp32);
  const Tensors parameters = RandomParameters(kSpec, Precision::kFp32);
  EXPECT_NE(RunGpt(sliced, Precision::kFp32, parameters).gradients,
            RunGpt(kSpec, Precision::kFp32, parameters).gradients);
}

TEST(Gpt, WithPositionsInSlicesHasTheGradientOfFiniteDifferences) {
  GptSpec sliced = kSpec, split = kSpec;
  sliced.slice_order = split.slice_order = {.slices = 2};
  split.sequence_parallel = true;
  CheckAgainstOracle(split, Precision::kFp32);
  const Tensors parameters = RandomParameters(kSpec, Precision::kFp32);
  const Tensors one = RunGpt(sliced, Precision::kFp32, parameters).gradients,
                two = RunGpt(split, Precision::kFp32, parameters).gradients;
  int differ = 0;
  const std::vector<ParameterSpec> specs = ModelParameters(kSpec);
  for (size_t p = 0; p < specs.size(); ++p) {
    const std::string& name = specs[p].name;
    const bool of_positions = name.find("norm") != std::string::npos || name.ends_with("_out.bias");
    if (of_positions) {
      differ += two[p] != one[p];
    } else {
      EXPECT_EQ(two[p], one[p]) << name << ": its inputs are gathered whole";
    }
  }
  EXPECT_GT(differ, 5);
}

TEST(Gpt, GivesATiedParameterTheSumOfItsTwoGradients) {
  GptSpec tied = kSpec;
  tied.tied = true;
  Tensors parameters = RandomParameters(tied, Precision::kFp32);
  const GptRun of_tied = RunGpt(tied, Precision::kFp32, parameters);
  parameters.push_back(parameters[0]);  // the head is registered last
  const GptRun of_untied = RunGpt(kSpec, Precision::kFp32, parameters);
  EXPECT_EQ(of_tied.loss, of_untied.loss);
  std::vector<float> sum = of_untied.gradients[0];
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += of_untied.gradients.back()[i];
  EXPECT_EQ(of_tied.gradients[0], sum);
  for (size_t p = 1; p < of_tied.gradients.size(); ++p) EXPECT_EQ(of_tied.gradients[p], of_untied.gradients[p]);
}

TEST(Gpt, RoundsATiedGradientOnceInBf16) {
  GptSpec tied = kSpec;
  tied.tied = true;
  for (const auto& gradient : RunGpt(tied, Precision::kBf16, RandomParameters(tied, Precision::kBf16)).gradients) {
    for (const float x : gradient) EXPECT_EQ(RoundToBf16(x), x);
  }
}

TEST(Gpt, ScalesGradientsWithTheLoss) {
  const Tensors parameters = RandomParameters(kSpec, Precision::kFp32);
  const GptRun plain = RunGpt(kSpec, Precision::kFp32, parameters);
  const GptRun scaled = RunGpt(kSpec, Precision::kFp32, parameters, 1024.0f);
  EXPECT_EQ(scaled.loss, plain.loss);
  for (size_t p = 0; p < parameters.size(); ++p) {
    for (size_t i = 0; i < parameters[p].size(); ++i)
      EXPECT_EQ(scaled.gradients[p][i], 1024.0f * plain.gradients[p][i]);
  }
}

TEST(Gpt, ListsItsUnitsAndParameters) {
  GptSpec spec = kSpec;
  spec.layers = 1;
  const std::vector<ParameterSpec> expected = {{"token_embedding", {V, C}, 0},
                                               {"position_embedding", {T, C}, 0},
                                               {"block0.norm1.weight", {C}, 1},
                                               {"block0.norm1.bias", {C}, 1},
                                               {"block0.qkv.weight", {3 * C, C}, 0},
                                               {"block0.qkv.bias", {3 * C}, 1},
                                               {"block0.attention_out.weight", {C, C}, 0},
                                               {"block0.attention_out.bias", {C}, 1},
                                               {"block0.norm2.weight", {C}, 1},
                                               {"block0.norm2.bias", {C}, 1},
                                               {"block0.mlp_in.weight", {4 * C, C}, 0},
                                               {"block0.mlp_in.bias", {4 * C}, 1},
                                               {"block0.mlp_out.weight", {C, 4 * C}, 0},
                                               {"block0.mlp_out.bias", {C}, 1},
                                               {"final_norm.weight", {C}, 1},
                                               {"final_norm.bias", {C}, 1},
                                               {"head", {V, C}, 0}};
  EXPECT_EQ(ModelParameters(spec), expected);

  spec.tied = true;
  const Model model(spec, Precision::kFp32, HostOps());
  EXPECT_EQ(model.parameters(), std::vector(expected.begin(), expected.end() - 1));
  ASSERT_EQ(model.units(), 4);  // embedding, block, head, loss
  EXPECT_EQ(model.ParametersOf(0), (std::vector<int>{0, 1}));
  EXPECT_EQ(model.ParametersOf(2), (std::vector<int>{14, 15, 0}));
  EXPECT_EQ(model.LastWriterOf(0), 0);
  EXPECT_EQ(model.LastWriterOf(14), 2);
}

TEST(Gpt, OfGroupedQueriesHasFewerKeysAndValues) {
  const GptSpec grouped{.vocab = V, .context = T, .layers = 1, .heads = 6, .kv_heads = 2, .width = 12};
  const auto qkv = ModelParameters(grouped)[4];
  EXPECT_EQ(qkv.name, "block0.qkv.weight");
  EXPECT_EQ(qkv.shape, (std::vector<int64_t>{12 + 2 * 4, 12}));
  EXPECT_EQ((GptSpec{.heads = 6}.kv_heads), 6) << "as many as heads, where nothing else is said";
}

TEST(Gpt, HasThePublishedSizes) {
  int64_t numel = 0;
  for (const ParameterSpec& parameter : ModelParameters(GptSize("gpt2-124m"))) numel += parameter.numel();
  EXPECT_EQ(numel, 124439808);
  EXPECT_THROW(GptSize("large"), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
