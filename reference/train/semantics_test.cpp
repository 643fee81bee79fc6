// What a training step means: optimizers, accumulation and clipping, each against the same thing written down by hand.
#include <gtest/gtest.h>

#include "reference/optim/formula_names.hpp"
#include "reference/train/by_hand_for_test.hpp"

namespace zerocts {
namespace {

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

TEST(Semantics, SyncEachKeepsTheSumOverMicroBatchesInItsOwnType) {
  Experiment e = MakeExperiment(1);
  e.world_size = 3;
  e.micro_batches = 2;
  const FoldShape shape{.world_size = 3, .micro_batches = 2, .sync = GradientSync::kEveryMicroBatch};
  int differs_from_last_micro_batch = 0;
  for (const Precision accumulation : {Precision::kFp32, Precision::kBf16}) {
    for (const Precision reduction : {Precision::kFp32, Precision::kBf16}) {
      e.accumulation = accumulation;
      e.reduction = reduction;
      const auto over_k = [&](float x) { return accumulation == Precision::kBf16 ? RoundToBf16(x) : x; };
      const auto across = [&](float x) { return reduction == Precision::kBf16 ? RoundToBf16(x) : x; };
      const StepTrace trace = Train(e, UniformOrder(e, RankFold(shape), shape.sync), HostOps())[0];
      for (int i = 0; i < 3; ++i) {
        float sums[2];
        for (int k = 0; k < 2; ++k) {
          const auto of_rank = [&](int rank) { return across(GradientOf(e, 0, 2 * rank + k, 0)[i]); };
          sums[k] = over_k(across(across(of_rank(0) + of_rank(1)) + of_rank(2)));
        }
        const float sum = over_k(sums[0] + sums[1]);
        EXPECT_EQ(trace.gradient[0][i], across(sum / 6.0f)) << ToString(accumulation) << " " << ToString(reduction);
      }
      differs_from_last_micro_batch += trace.gradient != TrainByRank(e)[0].gradient;
    }
  }
  EXPECT_GT(differs_from_last_micro_batch, 0);
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

}  // namespace
}  // namespace zerocts
