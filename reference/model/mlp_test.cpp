#include <gtest/gtest.h>

#include <stdexcept>

#include "reference/model/gradient_check.hpp"
#include "reference/model/model.hpp"
#include "reference/model/oracle_models.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr int64_t kMlpBatch = 3;
const MlpSpec kMlpSpec{.vocab = 6, .context = 3, .embedding = 2, .hidden = {5, 4}};
const std::vector<int32_t> kMlpInputs = {0, 1, 2, 3, 3, 3, 5, 0, 1};
const std::vector<int32_t> kMlpTargets = {5, 0, 3};

struct Through {
  int experts = 1, expert = 0;
};

MlpSpec SpecOf(const Through& through, const SliceOrder& order = {}) {
  MlpSpec spec = kMlpSpec;
  spec.slice_order = order;
  spec.experts = through.experts;
  return spec;
}

oracle::Chain MlpOracle(Precision precision, const Through& through) {
  return oracle::MlpChain(SpecOf(through), {kMlpBatch, kMlpInputs, kMlpTargets}, {.operands = precision},
                          static_cast<size_t>(through.expert));
}

struct Run {
  std::vector<std::vector<float>> parameters, gradients;
  double loss = 0.0;
};

/// What the micro-batch does not go through is null.
Run RunMlp(Precision precision, const SliceOrder& order = {}, const Through& through = {}) {
  Run run;
  const MlpSpec spec = SpecOf(through, order);
  const std::vector<int> experts = ModelExperts(spec);
  Model model(spec, precision, HostOps());
  std::vector<const float*> parameters;
  std::vector<float*> gradients;
  for (const ParameterSpec& parameter : model.parameters()) {
    std::vector<float> values(parameter.numel());
    for (size_t i = 0; i < values.size(); ++i) values[i] = RandomUniform(3, run.parameters.size(), i);
    if (precision == Precision::kBf16) HostOps().RoundToBf16(values.data(), values.size());
    run.parameters.push_back(values);
    run.gradients.emplace_back(values.size(), NAN);
  }
  for (size_t p = 0; p < run.parameters.size(); ++p) {
    const bool used = experts[p] == kOfNoExpert || experts[p] == through.expert;
    if (!used) run.gradients[p].assign(run.gradients[p].size(), 0.0f);
    parameters.push_back(used ? run.parameters[p].data() : nullptr);
    gradients.push_back(used ? run.gradients[p].data() : nullptr);
  }
  run.loss = model.ForwardBackward(parameters, gradients, kMlpInputs.data(), kMlpTargets.data(), kMlpBatch, 1.0f,
                                   through.expert);
  return run;
}

oracle::Tensors<double> InDouble(const std::vector<std::vector<float>>& tensors) {
  oracle::Tensors<double> converted;
  for (const auto& tensor : tensors) converted.emplace_back(tensor.begin(), tensor.end());
  return converted;
}

void CheckMlp(Precision precision, const SliceOrder& order = {}, const Through& through = {}) {
  const Run run = RunMlp(precision, order, through);
  const oracle::Chain oracle = MlpOracle(precision, through);
  const std::vector<double> mean(kMlpBatch, 1.0 / kMlpBatch);
  oracle::ExpectGradients(oracle, InDouble(run.parameters), {}, mean, run.gradients, {}, precision);

  const Measured loss = Sum(oracle.Forward<Measured>(oracle::As<Measured>(InDouble(run.parameters)), {}));
  EXPECT_NEAR(run.loss, loss.value / kMlpBatch, loss.error / kMlpBatch);
}

TEST(Mlp, HasTheGradientOfFiniteDifferences) { CheckMlp(Precision::kFp32); }

TEST(Mlp, HasTheGradientOfFiniteDifferencesInBf16) { CheckMlp(Precision::kBf16); }

TEST(Mlp, InSlicesHasTheGradientOfFiniteDifferences) {
  CheckMlp(Precision::kFp32, {.slices = 3});
  EXPECT_NE(RunMlp(Precision::kFp32, {.slices = 3}).gradients, RunMlp(Precision::kFp32).gradients);
}

TEST(Mlp, ThroughOneOfItsExpertsHasTheGradientOfFiniteDifferences) {
  for (const Through& through : {Through{2, 0}, Through{2, 1}, Through{3, 1}}) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) CheckMlp(precision, {}, through);
  }
}

TEST(Mlp, GoesThroughTheExpertThatIsAsked) {
  EXPECT_NE(RunMlp(Precision::kFp32, {}, {2, 0}).loss, RunMlp(Precision::kFp32, {}, {2, 1}).loss);
}

TEST(Mlp, ListsTheCopiesOfItsLastHiddenLayer) {
  const MlpSpec spec = SpecOf({2});
  const std::vector<ParameterSpec> expected = {{"embedding", {6, 2}, 0},         {"hidden0.weight", {5, 6}, 0},
                                               {"hidden0.bias", {5}, 1},         {"hidden1.expert0.weight", {4, 5}, 0},
                                               {"hidden1.expert0.bias", {4}, 1}, {"hidden1.expert1.weight", {4, 5}, 0},
                                               {"hidden1.expert1.bias", {4}, 1}, {"logits.weight", {6, 4}, 0},
                                               {"logits.bias", {6}, 1}};
  EXPECT_EQ(ModelParameters(spec), expected);
  EXPECT_EQ(ModelExperts(spec), (std::vector<int>{-1, -1, -1, 0, 0, 1, 1, -1, -1}));
}

TEST(Mlp, GivesBf16GradientsInBf16) {
  for (const auto& gradient : RunMlp(Precision::kBf16).gradients) {
    for (const float x : gradient) EXPECT_EQ(RoundToBf16(x), x);
  }
}

TEST(Mlp, ListsParametersInRegistrationOrder) {
  const std::vector<ParameterSpec> expected = {
      {"embedding", {6, 2}, 0}, {"hidden0.weight", {5, 6}, 0}, {"hidden0.bias", {5}, 1}, {"hidden1.weight", {4, 5}, 0},
      {"hidden1.bias", {4}, 1}, {"logits.weight", {6, 4}, 0},  {"logits.bias", {6}, 1}};
  EXPECT_EQ(ModelParameters(kMlpSpec), expected);
  EXPECT_EQ(Model(kMlpSpec, Precision::kFp32, HostOps()).parameters(), expected);
}

TEST(Mlp, RefusesTokensOutsideTheVocabulary) {
  Model model(kMlpSpec, Precision::kFp32, HostOps());
  const std::vector<int32_t> inputs = {0, 6, 0}, targets = {-1};
  const auto message = [&](const std::vector<int32_t>& in) -> std::string {
    try {
      model.ForwardBackward({}, {}, in.data(), targets.data(), 1);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(inputs), "inputs[1]: expected a token from 0 to 5, got 6");
  EXPECT_EQ(message({0, 0, 0}), "targets[0]: expected a token from 0 to 5, got -1");
}

TEST(ParameterSpec, CountsElements) {
  EXPECT_EQ((ParameterSpec{"scalar", {}}.numel()), 1);
  EXPECT_EQ((ParameterSpec{"none", {3, 0}}.numel()), 0);
}

TEST(Precision, ReadsBack) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    EXPECT_EQ(PrecisionFromString(ToString(precision)), precision);
  }
  EXPECT_THROW(PrecisionFromString("fp16"), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
