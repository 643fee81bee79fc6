// Parameters that are frozen, without gradient, tied, buffers, empty, or of their own precision.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/experiment/temporary_text.hpp"
#include "reference/optim/formula_names.hpp"
#include "reference/train/by_hand_for_test.hpp"
#include "reference/train/text_experiment_for_test.hpp"
#include "reference/train/trace.hpp"

namespace zerocts {
namespace {

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

TEST(Semantics, AMissingGradientCountsAsZeroInTheMean) {
  Experiment e = MakeExperiment(3);
  e.world_size = 3;
  e.micro_batches = 2;
  e.roles.missing = {{0, 1, 0}, {0, 1, 3}, {0, 1, 4}};
  ASSERT_EQ(Problem(e), "");
  ByHand a(e, 0);
  for (const StepTrace& trace : TrainByRank(e)) {
    Experiment given = e;
    given.roles = {};
    std::vector<float> mean(3);
    for (int i = 0; i < 3; ++i) {
      float sum = 0;
      for (int rank = 0; rank < 3; ++rank) {
        float of_rank = 0;
        for (int g = 2 * rank; g < 2 * rank + 2; ++g) {
          const bool missing = trace.step == 1 && (g == 0 || g == 3 || g == 4);
          of_rank += missing ? 0.0f : GradientOf(given, trace.step, g, 0)[i];
        }
        sum += of_rank;
      }
      mean[i] = sum / 6.0f;
    }
    a.Step(mean);
    EXPECT_EQ(trace.gradient[0], mean) << trace.step;
    ExpectState(trace, 0, a, "step " + std::to_string(trace.step));
  }
}

TEST(Semantics, WhereAllMicroBatchesMissItTheParameterIsNotUpdated) {
  Experiment e = MakeExperiment(3);
  e.world_size = 3;
  Experiment without = e;
  e.roles.missing = {{0, 1, 2}, {0, 1, 0}, {0, 1, 1}};
  without.roles.without_gradient = {{0, 1, 2}};
  const std::vector<StepTrace> missing = TrainByRank(e), expected = TrainByRank(without);
  for (size_t s = 0; s < missing.size(); ++s) {
    EXPECT_EQ(TensorHashes(e, missing[s]), TensorHashes(without, expected[s])) << s;
    EXPECT_EQ(missing[s].gradient[0].empty(), s == 1);
  }
  EXPECT_EQ(missing[1].master[0], missing[0].master[0]);
}

TEST(Semantics, OfTiedNamesThoseThatAMicroBatchHasAreAdded) {
  Experiment e = MakeExperiment(1);
  e.world_size = 2;
  e.roles.tied = {{1, 0}};
  e.roles.missing = {{0, 0, 1}};
  const StepTrace trace = TrainByRank(e)[0];
  for (int i = 0; i < 3; ++i) {
    const float both = GradientOf(e, 0, 0, 0)[i] + GradientOf(e, 0, 0, 1)[i], other = GradientOf(e, 0, 1, 1)[i];
    EXPECT_EQ(trace.gradient[0][i], (both + other) / 2.0f);
  }
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

}  // namespace
}  // namespace zerocts
