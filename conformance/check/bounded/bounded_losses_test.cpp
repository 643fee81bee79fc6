#include "conformance/check/bounded/bounded_losses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "conformance/check/for_test/test_cases.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts {
namespace {

Experiment ByAdamWIn(Precision precision) {
  Experiment e = BoundedCase(2, 3).experiment;
  e.precision = precision;
  e.optimizer = OptimizerKind::kAdamW;
  return e;
}

/// As a framework computes it in bf16: what each unit gives is rounded.
double LossInBf16(const Experiment& e, int64_t g) {
  const TextCorpus text = TextCorpus::LoadFor(e);
  const Batch batch = MakeBatch(e, text, 0, g);
  const oracle::Chain chain = oracle::MlpChain(std::get<MlpSpec>(*e.model), e.batch, batch.inputs, batch.targets,
                                               Precision::kFp32, static_cast<size_t>(ExpertOfMicroBatch(e, g)));
  std::vector<double> values;
  int parameter = 0;
  for (const auto& [unit, count] : chain.links) {
    std::vector<std::vector<double>> own;
    for (size_t p = 0; p < count; ++p) {
      own.emplace_back();
      for (const float value : InitialValuesOf(e, parameter)) own.back().push_back(double{RoundToBf16(value)});
      ++parameter;
    }
    values = std::visit([&](const auto& u) { return u.Forward(own, values); }, unit);
    for (double& value : values) value = double{RoundToBf16(static_cast<float>(value))};
  }
  double sum = 0;
  for (const double value : values) sum += value;
  return double{RoundToBf16(static_cast<float>(sum / static_cast<double>(e.batch)))};
}

TEST(BoundedLosses, AreThoseOfBoundedTrainingWhileThatSaysSomething) {
  const Experiment e = BoundedCase(2, 3).experiment;
  BoundedLosses losses(e);
  for (const BoundedStep& step : BoundedTraining(e)) {
    const std::vector<Bounded> got = losses.Step();
    ASSERT_EQ(got.size(), step.losses.size());
    EXPECT_EQ(got.front().value, step.losses.front().value);
    EXPECT_EQ(got.front().error, step.losses.front().error);
  }
}

TEST(BoundedLosses, HoldForTheFirstStepInBf16AndAreNotLoose) {
  const Experiment e = ByAdamWIn(Precision::kBf16);
  BoundedLosses losses(e);
  const std::vector<Bounded> first = losses.Step();
  ASSERT_EQ(first.size(), static_cast<size_t>(e.world_size * e.micro_batches));
  double most = 0;
  for (size_t g = 0; g < first.size(); ++g) {
    const double share = ShareOfBound(first[g], LossInBf16(e, static_cast<int64_t>(g)));
    EXPECT_LE(share, 1.0) << g;
    EXPECT_LT(first[g].error, 0.05 * first[g].value) << g;
    EXPECT_GT(ShareOfBound(first[g], 1.05 * LossInBf16(e, static_cast<int64_t>(g))), 1.0) << g;
    most = std::max(most, share);
  }
  EXPECT_GT(most, 0.01);
  EXPECT_TRUE(losses.Step().empty());
  EXPECT_NE(losses.Beyond().find("sgd in fp32 alone"), std::string::npos);
}

TEST(BoundedLosses, OfTheFirstStepInFp32AreThoseOfAnyOptimizer) {
  const std::vector<Bounded> by_sgd = BoundedLosses(BoundedCase(2, 3).experiment).Step();
  const std::vector<Bounded> by_adamw = BoundedLosses(ByAdamWIn(Precision::kFp32)).Step();
  ASSERT_EQ(by_adamw.size(), by_sgd.size());
  for (size_t g = 0; g < by_sgd.size(); ++g) EXPECT_EQ(by_adamw[g].error, by_sgd[g].error);
}

TEST(BoundedLosses, NoNumberIsTooFar) { EXPECT_GT(ShareOfBound({5.5, 0.1}, NAN), 1.0); }

}  // namespace
}  // namespace zerocts
