#include "conformance/cases/drawing/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

TEST(Cases, AreValidAndOfTheSpace) {
  for (const ShapeStyle shapes : {ShapeStyle::kMixed, ShapeStyle::kDegenerate}) {
    for (const int W : {1, 2, 3, 4, 5, 6, 8}) {
      for (const Case& c :
           Drawn(EverythingOf(shapes), {W, Precision::kBf16, {HeldTo("stage", {"1", "2"}), HeldTo("plan", {"padded"})}},
                 EverythingCapable(), 300)) {
        EXPECT_EQ(Problem(c.experiment), "");
        EXPECT_EQ(c.clause, "C-ZERO-000");
        EXPECT_EQ(c.world_size(), W);
        EXPECT_TRUE(c.stage == 1 || c.stage == 2);
        EXPECT_EQ(c.plan, "padded");
        EXPECT_LE(c.experiment.parameters.size(), 6u);
        EXPECT_GT(TotalNumel(c.experiment), 0);
        EXPECT_LE(TotalNumel(c.experiment), 2100 * 4);
        EXPECT_EQ(c.fidelity == Fidelity::kExactInputs, IsExact(c.experiment.gradients));
        EXPECT_FALSE(c.fidelity == Fidelity::kDeclaredOrder && c.reduction_order == "any");
      }
    }
  }
}

TEST(Cases, HaveTensorsAsLargeAsTheConditionsAllow) {
  const auto most_elements = [](int largest_size) {  // but for the few that are large at any size
    int64_t most = 0;
    for (const Case& c : Drawn(EverythingOf(ShapeStyle::kMixed), {.world_size = 3, .largest_size = largest_size},
                               EverythingCapable(), 500)) {
      for (const ParameterSpec& parameter : c.experiment.parameters) {
        if (parameter.numel() < 200) most = std::max(most, parameter.numel());
      }
    }
    return most;
  };
  EXPECT_EQ(most_elements(0), 12);
  EXPECT_GT(most_elements(100), 30);
}

TEST(Cases, PlainUpdatesShowTheGradient) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.plain_update = true;
  for (const Case& c : Drawn(space, {3, Precision::kFp32, {}}, EverythingCapable(), 500)) {
    EXPECT_EQ(c.experiment.optimizer, OptimizerKind::kSgd);
    for (int64_t step = 0; step < c.experiment.steps; ++step) {
      for (const HyperParameters& group : GroupsAtStep(c.experiment, step)) {
        int exponent = 0;
        EXPECT_EQ(std::frexp(group.lr, &exponent), 0.5f);
        EXPECT_EQ(group.momentum, 0);
        EXPECT_EQ(group.weight_decay, 0);
      }
    }
  }
}

TEST(Cases, FinishAndKeepHaveTheLastWord) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.finish = [](Case& c) { c.observe_memory = true; };
  space.keep = [](const Case& c) { return c.experiment.steps == 2; };
  const rc::Gen<Case> gen = CasesOf(space, {3, Precision::kFp32, {}}, EverythingCapable());
  rc::Random random(5);
  for (int i = 0; i < 50; ++i) {
    const auto drawn = gen(random.split(), 50);
    EXPECT_TRUE(drawn.value().observe_memory);
    EXPECT_EQ(drawn.value().experiment.steps, 2);
    for (auto shrinks = drawn.shrinks(); auto shrunk = shrinks.next();) EXPECT_EQ(shrunk->value().experiment.steps, 2);
  }
}

TEST(Cases, DependOnTheSeedAlone) {
  const auto hash_of = [](uint64_t seed) {
    std::string text;
    for (Case c : Drawn(EverythingOf(ShapeStyle::kMixed), {3, Precision::kBf16, {}}, EverythingCapable(), 100, seed))
      text += ToJson(c).dump();
    return HashOfBytes(text.data(), text.size());
  };
  EXPECT_EQ(hash_of(1), "0701f6126011464066430782c665b428")
      << "cases changed: seeds in reports of older builds no longer draw the same";
  EXPECT_EQ(hash_of(1), hash_of(1));
  EXPECT_NE(hash_of(1), hash_of(2));
}

TEST(Cases, AreQuickToDraw) {
  constexpr int kCases = 2000;
  const auto start = std::chrono::steady_clock::now();
  Drawn(EverythingOf(ShapeStyle::kMixed), {4, Precision::kFp32, {}}, EverythingCapable(), kCases);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds_per_case", std::to_string(taken.count() / kCases));
  EXPECT_LT(taken.count() / kCases, 5.0);  // 0.03 ms on a quiet machine
}

}  // namespace
}  // namespace zerocts
