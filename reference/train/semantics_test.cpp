// What a training step means: optimizers, clipping, accumulation, loss scaling, roles of parameters; each against the
// same thing written down by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference/experiment/temporary_text.hpp"
#include "reference/optim/formula_names.hpp"
#include "reference/train/world_sizes_for_test.hpp"

namespace zerocts {
namespace {

/// Two parameters, random gradients, AdamW with decay, one rank.
Experiment MakeExperiment(int64_t steps = 4) {
  Experiment e;
  e.parameters = {{"a", {3}, 0}, {"b", {3}, 0}};
  e.initial = InitialValues::kUniform;
  e.gradients = GradientSource::kUniform;
  e.optimizer = OptimizerKind::kAdamW;
  e.groups[0] = {.lr = 0.05f, .weight_decay = 0.1f, .momentum = 0.5f};
  e.steps = steps;
  return e;
}

std::vector<StepTrace> TrainByRank(const Experiment& e) {
  return Train(e, UniformOrder(e, RankFold(e.world_size, e.micro_batches)), HostOps());
}

std::vector<float> GradientOf(const Experiment& e, int64_t step, int64_t g, int p) {
  std::vector<float> gradient(e.parameters[p].numel());
  FillGradient(e, step, g, p, gradient.data());
  return gradient;
}

/// One parameter and what its optimizer keeps, stepped by hand.
struct ByHand {
  ByHand(const Experiment& experiment, int p)
      : e(experiment), master(InitialValuesOf(e, p)), moment1(master.size()), moment2(master.size()) {}

  void Step(const std::vector<float>& gradient, float clip = 1.0f) {
    products.Advance(e.groups[0]);
    ApplyStep(HostOps(), {e.optimizer, e.formula}, e.groups[0], products, clip,
              {master.data(), moment1.data(), moment2.data()}, gradient.data(), static_cast<int64_t>(master.size()));
  }

  const Experiment& e;
  std::vector<float> master, moment1, moment2;
  BetaProducts products;
};

void ExpectState(const StepTrace& trace, int p, const ByHand& expected, const std::string& where) {
  EXPECT_EQ(trace.master[p], expected.master) << where;
  EXPECT_EQ(trace.moment1[p], expected.moment1) << where;
  EXPECT_EQ(trace.moment2[p].empty() ? expected.moment2 : trace.moment2[p], expected.moment2) << where;
}

TEST(Semantics, EveryOptimizerInItsFormulaIsSteppedOverWholeParameters) {
  using enum OptimizerKind;
  for (const auto& [kind, formula] : std::vector<std::pair<OptimizerKind, OptimizerFormula>>{
           {kAdam, {}}, {kLamb, {}}, {kAdamW, TorchFormula(kAdamW)}, {kSgd, TorchFormula(kSgd)}}) {
    Experiment e = MakeExperiment();
    e.optimizer = kind;
    e.formula = formula;
    ByHand a(e, 0), b(e, 1);
    for (const StepTrace& trace : TrainByRank(e)) {
      a.Step(GradientOf(e, trace.step, 0, 0));
      b.Step(GradientOf(e, trace.step, 0, 1));
      ExpectState(trace, 0, a, ToString(kind));
      ExpectState(trace, 1, b, ToString(kind));
    }
  }
}

TEST(Semantics, FrozenMeansUntouchedAndUncounted) {
  Experiment e = MakeExperiment(6);
  e.roles.frozen = {{0, 1, 3}, {1, 5, 6}};
  e.max_norm = 0.01f;
  ByHand a(e, 0), b(e, 1);
  for (const StepTrace& trace : TrainByRank(e)) {
    const bool a_takes_part = trace.step < 1 || trace.step >= 3, b_takes_part = trace.step < 5;
    GradientNorm norm(NormKind::kTwo);
    const std::vector<float> ga = GradientOf(e, trace.step, 0, 0), gb = GradientOf(e, trace.step, 0, 1);
    if (a_takes_part) norm.Add(HostOps(), ga.data(), 3);
    if (b_takes_part) norm.Add(HostOps(), gb.data(), 3);
    const float clip = ClipCoefficient(norm.Norm(), 0.01f, 1e-6f);
    if (a_takes_part) a.Step(ga, clip);
    if (b_takes_part) b.Step(gb, clip);
    const std::string where = "step " + std::to_string(trace.step);
    EXPECT_EQ(trace.grad_norm, norm.Norm()) << where;
    EXPECT_EQ(trace.gradient[0], a_takes_part ? ga : std::vector<float>()) << where;
    ExpectState(trace, 0, a, where);
    ExpectState(trace, 1, b, where);
    EXPECT_EQ(TensorHashes(e, trace).contains("gradient/a"), a_takes_part) << where;
  }
}

TEST(Semantics, NoGradientIsAnotherThanAGradientOfZero) {
  Experiment e = MakeExperiment(2);
  e.gradients = GradientSource::kZero;
  e.roles.without_gradient = {{0, 0, 1}};
  const StepTrace trace = TrainByRank(e)[0];
  EXPECT_EQ(trace.master[0], InitialValuesOf(e, 0));  // skipped: no decay
  EXPECT_TRUE(trace.gradient[0].empty());
  ByHand b(e, 1);
  b.Step({0.0f, 0.0f, 0.0f});
  EXPECT_NE(b.master, InitialValuesOf(e, 1));  // decays
  EXPECT_EQ(trace.master[1], b.master);
  EXPECT_EQ(trace.gradient[1], (std::vector<float>{0.0f, 0.0f, 0.0f}));

  // The first step that it takes is its first.
  e.gradients = GradientSource::kUniform;
  ByHand a(e, 0);
  a.Step(GradientOf(e, 1, 0, 0));
  ExpectState(TrainByRank(e)[1], 0, a, "step 1");
}

TEST(Semantics, TiedNamesAreOneStorageAndTheirGradientsASum) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    Experiment e = MakeExperiment();
    e.precision = precision;
    e.parameters.push_back({"c", {3}, 0});
    e.roles.tied = {{2, 0}, {1, 0}};  // the order of the parameters counts, not the list's
    e.roles.without_gradient = {{0, 2, 4}, {1, 3, 4}};
    e.world_size = 2;
    ByHand a(e, 0);
    for (const StepTrace& trace : TrainByRank(e)) {
      const auto round = [&](float x) { return precision == Precision::kBf16 ? RoundToBf16(x) : x; };
      std::vector<float> mean(3);
      for (int i = 0; i < 3; ++i) {
        float sums[2];
        for (int g = 0; g < 2; ++g) {
          const float ga = GradientOf(e, trace.step, g, 0)[i], gb = GradientOf(e, trace.step, g, 1)[i],
                      gc = GradientOf(e, trace.step, g, 2)[i];
          sums[g] = trace.step < 2 ? round(round(ga + gb) + gc) : trace.step == 2 ? round(gb + gc) : gc;
        }
        mean[i] = (sums[0] + sums[1]) / 2.0f;
      }
      a.Step(mean);
      const std::string where = "step " + std::to_string(trace.step);
      EXPECT_EQ(trace.gradient[0], mean) << where;
      ExpectState(trace, 0, a, where);
      for (const int p : {1, 2}) {
        EXPECT_EQ(trace.parameter[p], trace.parameter[0]) << where;
        EXPECT_TRUE(trace.gradient[p].empty() && trace.master[p].empty() && trace.moment1[p].empty()) << where;
      }
      GradientNorm norm(NormKind::kTwo);
      norm.Add(HostOps(), mean.data(), 3);
      EXPECT_EQ(trace.grad_norm, norm.Norm()) << where;
      EXPECT_EQ(TensorHashes(e, trace).size(), 4u + 3u) << where;  // of a everything, of each name the parameter
    }
  }
}

TEST(Semantics, ATiedParameterOfAModelIsUsedInBothPlaces) {
  const TemporaryText text("the quick brown fox jumps over the lazy dog and runs away from it as fast as it can\n");
  Experiment e;
  e.model = MlpSpec{.vocab = 128, .context = 4, .embedding = 4, .hidden = {16, 16}};
  e.parameters = ModelParameters(*e.model);
  e.groups.resize(2);
  e.gradients = GradientSource::kModel;
  e.initial = InitialValues::kModel;
  e.batch = 4;
  e.steps = 3;
  e.text = text.path();
  e.text_hash = TextCorpus::Load(e.text).hash();
  const auto index_of = [&](const std::string& name) {
    const auto found = std::ranges::find(e.parameters, name, &ParameterSpec::name);
    return static_cast<int>(found - e.parameters.begin());
  };
  const int first = index_of("hidden0.weight"), second = index_of("hidden1.weight");
  ASSERT_LT(second, static_cast<int>(e.parameters.size()));
  e.roles.tied = {{second, first}};
  ASSERT_EQ(Problem(e), "");
  const std::vector<StepTrace> steps = TrainByRank(e);
  EXPECT_EQ(steps[2].parameter[first], steps[2].parameter[second]);
  EXPECT_NE(steps[2].parameter[first], steps[0].parameter[first]);

  // The sum of what an untied model with equal weights gives for both.
  Experiment untied = e;
  untied.roles = {};
  Model model(*e.model, e.precision, HostOps());
  std::vector<std::vector<float>> values, gradients;
  std::vector<const float*> in;
  std::vector<float*> out;
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    values.push_back(InitialValuesOf(e, static_cast<int>(p) == second ? first : static_cast<int>(p)));
    gradients.emplace_back(values[p].size());
  }
  for (size_t p = 0; p < values.size(); ++p) {
    in.push_back(values[p].data());
    out.push_back(gradients[p].data());
  }
  const Batch batch = MakeBatch(e, TextCorpus::LoadFor(e), 0, 0);
  model.ForwardBackward(in, out, batch.inputs.data(), batch.targets.data(), e.batch);
  for (size_t i = 0; i < values[first].size(); ++i) {
    ASSERT_EQ(steps[0].gradient[first][i], gradients[first][i] + gradients[second][i]);
  }
}

TEST(Semantics, BuffersAreNeverUpdated) {
  Experiment e = MakeExperiment();
  e.roles.buffers = {0};
  e.precision = Precision::kBf16;
  ByHand b(e, 1);
  std::vector<float> rounded = InitialValuesOf(e, 0);
  for (float& x : rounded) x = RoundToBf16(x);
  for (const StepTrace& trace : TrainByRank(e)) {
    b.Step(GradientOf(e, trace.step, 0, 1));
    ExpectState(trace, 1, b, "b");
    EXPECT_EQ(trace.parameter[0], rounded);
    EXPECT_TRUE(trace.gradient[0].empty() && trace.moment1[0].empty());
    EXPECT_EQ(TensorHashes(e, trace).count("exp_avg/a"), 0u);
    GradientNorm norm(NormKind::kTwo);
    norm.Add(HostOps(), trace.gradient[1].data(), 3);
    EXPECT_EQ(trace.grad_norm, norm.Norm());
  }
}

TEST(Semantics, ParametersHaveTheirOwnPrecision) {
  Experiment e = MakeExperiment();
  e.roles.precisions = {{1, Precision::kBf16}};
  const StepTrace trace = TrainByRank(e)[1];
  EXPECT_EQ(trace.parameter[0], trace.master[0]);
  EXPECT_NE(trace.parameter[1], trace.master[1]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(trace.parameter[1][i], RoundToBf16(trace.master[1][i]));
}

TEST(Semantics, ParametersWithoutElementsTakeEveryOptimizer) {
  using enum OptimizerKind;
  for (const OptimizerKind kind : {kSgd, kAdam, kAdamW, kLamb}) {
    Experiment e = MakeExperiment();
    e.parameters = {{"none", {0, 4}, 0}, {"one", {}, 0}};
    e.optimizer = kind;
    e.clip_norm = NormKind::kOne;
    EXPECT_EQ(TrainByRank(e)[3].parameter[1].size(), 1u);
  }
}

TEST(Semantics, SumsAreKeptInTheirDeclaredTypes) {
  Experiment e = MakeExperiment(1);
  e.world_size = 3;
  e.micro_batches = 2;
  for (const Precision accumulation : {Precision::kFp32, Precision::kBf16}) {
    for (const Precision reduction : {Precision::kFp32, Precision::kBf16}) {
      e.accumulation = accumulation;
      e.reduction = reduction;
      const auto local = [&](float x) { return accumulation == Precision::kBf16 ? RoundToBf16(x) : x; };
      const auto across = [&](float x) { return reduction == Precision::kBf16 ? RoundToBf16(x) : x; };
      const StepTrace trace = TrainByRank(e)[0];
      for (int i = 0; i < 3; ++i) {
        float sum = 0;
        for (int rank = 0; rank < 3; ++rank) {
          const float first = local(GradientOf(e, 0, 2 * rank, 0)[i]),
                      second = local(GradientOf(e, 0, 2 * rank + 1, 0)[i]);
          const float of_rank = across(local(first + second));
          sum = rank == 0 ? of_rank : across(sum + of_rank);
        }
        EXPECT_EQ(trace.gradient[0][i], across(sum / 6.0f)) << ToString(accumulation) << " " << ToString(reduction);
      }
    }
  }
}

TEST(Semantics, ClipsByTheDeclaredNormAndFormula) {
  Experiment e = MakeExperiment(1);
  e.gradients = GradientSource::kPythagorean;
  e.max_norm = 3.5f;
  e.clip_epsilon = 0.0f;
  const auto expect = [&](NormKind norm, ClipFormula formula, float expected_norm, float expected_coefficient) {
    e.clip_norm = norm;
    e.clip_formula = formula;
    const StepTrace trace = TrainByRank(e)[0];
    EXPECT_EQ(trace.grad_norm, expected_norm);
    EXPECT_EQ(trace.clip_coefficient, expected_coefficient);
    ByHand a(e, 0);
    a.Step(GradientOf(e, 0, 0, 0), expected_coefficient);
    ExpectState(trace, 0, a, ToString(norm));
  };
  expect(NormKind::kOne, ClipFormula::kMin, 7.0f, 0.5f);
  expect(NormKind::kTwo, ClipFormula::kMin, 5.0f, 3.5f / 5.0f);
  expect(NormKind::kInfinity, ClipFormula::kMin, 4.0f, 0.875f);
  expect(NormKind::kTwo, ClipFormula::kTorch, 5.0f, (1.0f / 5.0f) * 3.5f);
  e.clip_epsilon = 1.0f;
  e.max_norm = 5.0f;
  expect(NormKind::kTwo, ClipFormula::kMin, 5.0f, 5.0f / 6.0f);
  expect(NormKind::kTwo, ClipFormula::kAbove, 5.0f, 1.0f);
}

TEST(Semantics, AScaleThatIsAPowerOfTwoChangesNoBit) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    Experiment e = MakeExperiment();
    e.precision = precision;
    e.world_size = 3;
    e.max_norm = 0.5f;
    const std::vector<StepTrace> plain = TrainByRank(e);
    e.loss_scaling = {.kind = LossScaleKind::kStatic, .scale = 1024.0f};
    const std::vector<StepTrace> scaled = TrainByRank(e);
    for (size_t s = 0; s < plain.size(); ++s) {
      EXPECT_EQ(TensorHashes(e, scaled[s]), TensorHashes(e, plain[s]));
      EXPECT_EQ(scaled[s].grad_norm, plain[s].grad_norm);
      EXPECT_EQ(scaled[s].loss_scale, 1024.0f);
      EXPECT_FALSE(scaled[s].skipped);
    }
  }
}

TEST(Semantics, AScaleIsMultipliedAndDividedWithOneRoundingEach) {
  Experiment e = MakeExperiment(1);
  e.loss_scaling = {.kind = LossScaleKind::kStatic, .scale = 3.0f};
  const StepTrace trace = TrainByRank(e)[0];
  const std::vector<float> given = GradientOf(e, 0, 0, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(trace.gradient[0][i], (3.0f * given[i]) * (1.0f / 3.0f));
}

TEST(Semantics, OverflowSkipsTheStepAndMovesTheScale) {
  for (const NormKind norm : {NormKind::kOne, NormKind::kTwo, NormKind::kInfinity}) {
    Experiment e = MakeExperiment(8);
    e.clip_norm = norm;
    e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 8.0f, .growth_interval = 2, .minimum = 1.0f};
    e.world_size = 2;
    // inf, nan, and infinities of both signs, in another parameter each time
    e.planted = {{1, 1, 0, 2, NonFinite::kInfinity},
                 {4, 0, 1, 0, NonFinite::kNan},
                 {6, 0, 0, 1, NonFinite::kInfinity},
                 {6, 1, 0, 1, NonFinite::kMinusInfinity}};
    const std::vector<float> scales = {8, 8, 4, 4, 8, 4, 4, 2};
    ByHand a(e, 0), b(e, 1);
    for (const StepTrace& trace : TrainByRank(e)) {
      const bool overflow = trace.step == 1 || trace.step == 4 || trace.step == 6;
      const std::string where = "step " + std::to_string(trace.step);
      EXPECT_EQ(trace.skipped, overflow) << where;
      EXPECT_EQ(trace.loss_scale, scales[trace.step]) << where;
      EXPECT_EQ(std::isnan(trace.grad_norm), overflow) << where;
      if (!overflow) {
        a.Step(trace.gradient[0]);
        b.Step(trace.gradient[1]);
      }
      ExpectState(trace, 0, a, where);  // a skipped step is not counted: the corrections of the next one are its own
      ExpectState(trace, 1, b, where);
    }
  }
}

TEST(Semantics, WithoutLossScalingAValueThatIsNotFiniteIsTaken) {
  Experiment e = MakeExperiment(1);
  e.planted = {{0, 0, 0, 1, NonFinite::kNan}};
  const StepTrace unclipped = TrainByRank(e)[0];
  EXPECT_FALSE(unclipped.skipped);
  EXPECT_TRUE(std::isnan(unclipped.grad_norm));
  EXPECT_EQ(unclipped.clip_coefficient, 1.0f);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(std::isnan(unclipped.master[0][i]), i == 1);
    EXPECT_FALSE(std::isnan(unclipped.master[1][i]));
  }
  e.max_norm = 1.0f;
  const StepTrace clipped = TrainByRank(e)[0];
  EXPECT_TRUE(std::isnan(clipped.clip_coefficient));
  for (int p = 0; p < 2; ++p) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(clipped.master[p][i]));
  }
}

constexpr char kText[] =
    "Whoever splits a batch over ranks adds the same numbers in another order, unless the order is a tree over the "
    "micro-batches and not over the ranks; then nobody can tell how many there were.\n";

Experiment TextExperiment(const TemporaryText& text) {
  Experiment e;
  e.model = MlpSpec{.vocab = 128, .context = 4, .embedding = 6, .hidden = {24}};
  e.parameters = ModelParameters(*e.model);
  e.initial = InitialValues::kModel;
  e.gradients = GradientSource::kModel;
  e.optimizer = OptimizerKind::kAdamW;
  e.groups = {{.lr = 0.01f, .weight_decay = 0.01f}, {.lr = 0.01f}};
  e.max_norm = 1.0f;
  e.world_size = 8;
  e.batch = 4;
  e.steps = 20;
  e.text = text.path();
  e.text_hash = TextCorpus::Load(e.text).hash();
  return e;
}

TEST(WorldSizes, OfTheMlpHaveEqualBits) {
  const TemporaryText text(kText);
  const Experiment first = TextExperiment(text);
  EXPECT_LT(ExpectSameBitsOnEveryWorldSize(first, {1, 2, 4, 8}).mean_loss(), 4.0);

  Experiment e = first;
  e.precision = e.accumulation = e.reduction = Precision::kBf16;
  e.optimizer = OptimizerKind::kLamb;
  e.clip_norm = NormKind::kOne;
  e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 0x1p127f, .growth_interval = 3};
  e.initial = InitialValues::kUniform;  // weights so large that scaled gradients overflow
  const StepTrace last = ExpectSameBitsOnEveryWorldSize(e, {1, 2, 4, 8});
  EXPECT_LT(last.loss_scale, 0x1p127f);
}

// A loss scale that is far too large finds its way down, and the training that follows is the plain one's.
TEST(Semantics, TheScaleOfAModelBacksOffUntilGradientsAreFinite) {
  const TemporaryText text(kText);
  Experiment e = TextExperiment(text);
  e.steps = 8;
  e.initial = InitialValues::kUniform;  // weights so large that scaled gradients overflow
  e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 0x1p127f, .backoff_factor = 0x1p-30f};
  const std::vector<StepTrace> steps = TrainByRank(e);
  const auto skipped = std::ranges::count_if(steps, &StepTrace::skipped);
  EXPECT_GT(skipped, 0);
  EXPECT_LT(skipped, 8);
  for (size_t s = 0; s < steps.size(); ++s) {
    EXPECT_EQ(steps[s].skipped, static_cast<int64_t>(s) < skipped);
    EXPECT_EQ(steps[s].loss_scale, std::ldexp(1.0f, 127 - 30 * static_cast<int>(std::min<int64_t>(s, skipped))));
  }
  EXPECT_FALSE(std::isnan(steps.back().mean_loss()));
}

}  // namespace
}  // namespace zerocts
