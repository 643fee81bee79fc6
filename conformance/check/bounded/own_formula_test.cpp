#include "conformance/check/bounded/own_formula.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

Case CaseOf(OptimizerKind optimizer, Precision precision) {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = {{"a", {7, 5}, 0}, {"b", {11}, 1}, {"c", {3}, 0}};
  e.groups = {{.lr = 0.05f, .weight_decay = 0.1f, .momentum = 0.9f}, {.lr = 0.01f}};
  e.initial = InitialValues::kUniform;
  e.gradients = GradientSource::kUniform;
  e.optimizer = optimizer;
  e.precision = precision;
  e.world_size = 2;
  e.micro_batches = 2;
  e.steps = 4;
  c.reduction_order = "rank";
  if (optimizer == OptimizerKind::kMuon) {
    for (ParameterSpec& parameter : e.parameters) parameter.shape.resize(2, 1);
  }
  return c;
}

TensorRecord& Parameter(std::vector<RankObservation>& ranks, int64_t step, int parameter) {
  for (TensorRecord& record : ranks.front().tensors) {
    if (record.what == "parameter" && record.step == step && record.parameter == parameter) return record;
  }
  throw std::out_of_range("no such record");
}

/// Nothing moves as far as it may: the formulas of the reference are all within.
TEST(OwnFormula, AllowsTheReferencesFormulas) {
  for (const OptimizerKind optimizer :
       {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb, OptimizerKind::kMuon}) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      for (uint64_t seed = 1; seed <= 30; ++seed) {
        Case c = CaseOf(optimizer, precision);
        c.experiment.seed = seed;
        const auto finding = CheckOwnFormula(c, PerfectObservation(c));
        EXPECT_FALSE(finding) << ToString(optimizer) << " seed " << seed << ": " << finding->sentence;
      }
    }
  }
}

TEST(OwnFormula, FindsWhoNeverTrains) {
  const Case c = CaseOf(OptimizerKind::kAdamW, Precision::kFp32);
  std::vector<RankObservation> ranks = PerfectObservation(c);
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    for (int p = 0; p < 3; ++p) Parameter(ranks, step, p).values = Parameter(ranks, -1, p).values;
  }
  EXPECT_EQ(CheckOwnFormula(c, ranks)->sentence.find("a has not moved in step 0, although"), 0u);
}

TEST(OwnFormula, FindsOneParameterThatIsForgotten) {
  const Case c = CaseOf(OptimizerKind::kSgd, Precision::kFp32);
  std::vector<RankObservation> ranks = PerfectObservation(c);
  Parameter(ranks, 0, 1).values = Parameter(ranks, -1, 1).values;
  EXPECT_EQ(CheckOwnFormula(c, ranks)->sentence.find("b has not moved in step 0, although"), 0u);
}

TEST(OwnFormula, FindsAnElementThatMovesTooFar) {
  for (const OptimizerKind optimizer :
       {OptimizerKind::kSgd, OptimizerKind::kAdam, OptimizerKind::kLamb, OptimizerKind::kMuon}) {
    const Case c = CaseOf(optimizer, Precision::kFp32);
    std::vector<RankObservation> ranks = PerfectObservation(c);
    Parameter(ranks, 1, 0).values[4] += 1000;
    EXPECT_EQ(CheckOwnFormula(c, ranks)->sentence.find("a, element 4, moved from "), 0u) << ToString(optimizer);
  }
}

/// With b's updates, which have no decay, changed so: (before, after, gradient's sign) to after.
template <typename Change>
std::string FoundWith(OptimizerKind optimizer, Change change) {
  const Case c = CaseOf(optimizer, Precision::kFp32);
  std::vector<RankObservation> ranks = PerfectObservation(c);
  const std::vector<RankObservation> right = ranks;
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    const std::vector<float>& before = Parameter(ranks, step - 1, 1).values;
    std::vector<RankObservation> kept = right;
    const std::vector<float>&from = Parameter(kept, step - 1, 1).values, &to = Parameter(kept, step, 1).values;
    for (size_t i = 0; i < from.size(); ++i)
      Parameter(ranks, step, 1).values[i] = before[i] + static_cast<float>(change(to[i] - from[i], i));
  }
  const auto finding = CheckOwnFormula(c, ranks);
  return finding ? finding->sentence : "";
}

TEST(OwnFormula, FindsAscentNoiseSignAndHalf) {
  const auto sign = [](double update) { return std::copysign(0.01, update); };
  for (const OptimizerKind optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam}) {
    SCOPED_TRACE(ToString(optimizer));
    EXPECT_EQ(FoundWith(optimizer, [](double update, size_t) { return update; }), "");
    EXPECT_EQ(FoundWith(optimizer, [](double update, size_t) { return -update; }).find("b, element "), 0u);
    EXPECT_EQ(FoundWith(optimizer, [](double update, size_t i) { return i % 3 ? update : -update; }).find("b, "), 0u);
    EXPECT_EQ(FoundWith(optimizer, [](double update, size_t) { return update / 2; }).find("b, element "), 0u);
    EXPECT_EQ(FoundWith(optimizer, [&](double update, size_t) { return sign(update); }).find("b, element "), 0u);
  }
  EXPECT_NE(FoundWith(OptimizerKind::kLamb, [](double update, size_t) { return -update; }), "");
}

TEST(OwnFormula, FindsAMatrixThatMovesWithItsGradient) {
  Case c = CaseOf(OptimizerKind::kMuon, Precision::kFp32);
  c.experiment.gradients = GradientSource::kIndexCoded;
  const auto with_first_of_b = [&](float factor) {
    std::vector<RankObservation> ranks = PerfectObservation(c);
    const std::vector<float> before = Parameter(ranks, -1, 1).values;
    std::vector<float>& after = Parameter(ranks, 0, 1).values;
    for (size_t i = 0; i < after.size(); ++i) after[i] = before[i] + factor * (after[i] - before[i]);
    const auto finding = CheckOwnFormula(c, ranks);
    return finding ? finding->sentence : "";
  };
  EXPECT_EQ(with_first_of_b(1), "");
  EXPECT_EQ(with_first_of_b(-1).find("b moved with its mean gradient in step 0"), 0u);
  EXPECT_EQ(with_first_of_b(20).find("b, element "), 0u);
}

/// m = 0.1 g and v = 0.001 g * g, so m / sqrt(v) is sqrt(10) without corrections, and 1 with them.
TEST(OwnFormula, KnowsTheReachOfAFirstUpdate) { EXPECT_NEAR(AdamReach(0.9, 0.999, 1), 3.1623, 1e-4); }

}  // namespace
}  // namespace zerocts
