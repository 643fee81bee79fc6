// What must not change a bit: the stage, the plan, and, where sums are exact, the number of ranks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "impl/stages/engines_for_test.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

/// Over many exponents, so that the order of addition shows.
float Wild(int64_t step, int64_t g, int p, int64_t i) {
  const auto stream = Stream({7, static_cast<uint64_t>(step), static_cast<uint64_t>(g), static_cast<uint64_t>(p)});
  const auto index = static_cast<uint64_t>(i);
  return std::ldexp(RandomUniform(1, stream, index), static_cast<int>(RandomBelow(2, stream, index, 20)) - 10);
}

/// Small integers: every sum is exact, in every order.
float Exact(int64_t step, int64_t g, int p, int64_t i) {
  return static_cast<float>((5 * step + 3 * g + 7 * p + i) % 11 - 5);
}

TestRun RandomRun() {
  TestRun run;
  const auto numel = *rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(
      rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 3), rc::gen::inRange<int64_t>(0, 40))));
  run.settings = SettingsFor(numel);
  run.settings.precision = *rc::gen::element(Precision::kFp32, Precision::kBf16);
  run.settings.optimizer = *rc::gen::element(OptimizerKind::kSgd, OptimizerKind::kAdamW);
  run.settings.groups = {{.lr = 0.125f, .weight_decay = 0.01f, .momentum = 0.9f},
                         {.lr = 0.5f, .momentum = 0.5f, .beta2 = 0.95f}};
  run.settings.micro_batches = *rc::gen::inRange(1, 4);
  run.settings.max_norm = *rc::gen::element(0.0f, 0.5f, 1e9f);
  run.world_size = *rc::gen::inRange(1, 9);
  run.steps = *rc::gen::inRange(1, 4);
  for (size_t p = 0; p < numel.size(); ++p) {
    run.settings.parameters[p].group = static_cast<int>(p % 2);
    run.initial.emplace_back();
    for (int64_t i = 0; i < numel[p]; ++i) run.initial.back().push_back(Wild(-1, 0, static_cast<int>(p), i));
  }
  run.gradient = Wild;
  run.before_step = [](Engine& engine, int64_t step) {
    if (step == 1) engine.SetGroup(0, {.lr = 0.0625f, .momentum = 0.75f, .beta1 = 0.5f});
  };
  return run;
}

RC_GTEST_PROP(SameBits, InStage0AndStage1AndInBothPlans, ()) {
  TestRun run = RandomRun();
  run.settings.stage = 0;
  run.settings.plan = "contiguous";
  const auto expected = RunSteps(run);
  run.settings.stage = 1;
  RC_ASSERT(RunSteps(run) == expected);
  run.settings.plan = "padded";
  RC_ASSERT(RunSteps(run) == expected);
  run.settings.stage = 0;
  RC_ASSERT(RunSteps(run) == expected);
}

RC_GTEST_PROP(SameBits, OfRingsInStage0AndStage1, ()) {
  TestRun run = RandomRun();
  run.settings.reduction_order = "ring";
  run.settings.plan = *rc::gen::element<std::string>("contiguous", "padded");
  run.settings.stage = 0;
  const auto expected = RunSteps(run);
  run.settings.stage = 1;
  RC_ASSERT(RunSteps(run) == expected);
}

RC_GTEST_PROP(SameBits, OnOneRankThatTakesAllMicroBatchesWhenSumsAreExact, ()) {
  TestRun run = RandomRun();
  run.gradient = Exact;
  run.settings.reduction_order = *rc::gen::element<std::string>("rank", "ring");
  const auto got = RunSteps(run);
  run.settings.micro_batches *= run.world_size;
  run.world_size = 1;
  RC_ASSERT(got == RunSteps(run));
}

TEST(OrderOfAddition, IsDistinguishedByTheData) {
  TestRun run;
  run.settings = SettingsFor({64});
  run.world_size = 3;
  run.initial = {std::vector<float>(64)};
  run.gradient = Wild;
  const auto rank_order = RunSteps(run);
  run.settings.reduction_order = "ring";
  EXPECT_FALSE(RunSteps(run) == rank_order) << "else the equalities above prove nothing about order";
}

}  // namespace
}  // namespace zerocts
