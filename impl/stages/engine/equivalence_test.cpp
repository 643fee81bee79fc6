// What must not change a bit: stage, plan, buckets, device, overlap, offload, and, where sums are exact or trees, the
// number of ranks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "impl/layout/plans.hpp"
#include "impl/stages/for_test/engines.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
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

/// What is trained and how gradients become one; where it happens is plain: stage 0 on the host.
TestRun RandomRun() {
  TestRun run;
  auto numel = *rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(
      rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 3), rc::gen::inRange<int64_t>(0, 40))));
  for (size_t p = 2; p < numel.size(); p += 4) numel[p] = numel[p - 1];  // tied
  run.settings = SettingsFor(numel);
  run.settings.stage = 0;
  run.settings.precision = *rc::gen::element(Precision::kFp32, Precision::kBf16);
  run.settings.optimizer.kind =
      *rc::gen::element(OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kLamb, OptimizerKind::kMuon);
  if (run.settings.optimizer.kind == OptimizerKind::kMuon) CutIntoMatrices(run.settings);
  run.settings.groups = {{.lr = 0.125f, .weight_decay = 0.01f, .momentum = 0.9f},
                         {.lr = 0.5f, .momentum = 0.5f, .beta2 = 0.95f, .nesterov = true}};
  run.settings.micro_batches = *rc::gen::inRange(1, 6);
  run.settings.accumulation = *rc::gen::element(Precision::kFp32, Precision::kFp32, Precision::kBf16);
  run.settings.reduction = *rc::gen::element(Precision::kFp32, Precision::kFp32, Precision::kBf16);
  run.settings.reduction_order = *rc::gen::element<std::string>("rank", "tree");
  run.settings.max_norm = *rc::gen::element(0.0f, 0.5f, 1e9f);
  run.settings.clip_norm = *rc::gen::element(NormKind::kTwo, NormKind::kOne, NormKind::kInfinity);
  run.world_size = *rc::gen::inRange(1, 7);
  run.steps = *rc::gen::inRange(1, 4);
  run.own_precisions = *rc::gen::arbitrary<bool>();
  const int frozen = *rc::gen::inRange(0, 4), without_gradient = *rc::gen::inRange(0, 4);
  for (int p = 0; p < std::ssize(numel); ++p) {
    EngineParameter& parameter = run.settings.parameters[p];
    parameter.spec.group = p % 2;
    parameter.precision = p % 3 == 1 ? Precision::kBf16 : Precision::kFp32;
    parameter.buffer = p == 4;
    if (p % 4 == 2) {
      parameter.tied_to = p - 1;
      parameter.precision = run.settings.parameters[p - 1].precision;
    }
    run.initial.emplace_back();
    for (int64_t i = 0; i < numel[p]; ++i) run.initial.back().push_back(Wild(-1, 0, p, i));
  }
  run.gradient = Wild;
  run.has_gradient = [=](int64_t step, int64_t g, int p) {
    if (p == 4 || (p == frozen && step == 1)) return false;
    return p != without_gradient || (g % 2 == 1 && step != 0);
  };
  const bool freezes = frozen < std::ssize(numel) && run.settings.parameters[frozen].has_storage();
  run.before_micro_batches = [=](Engine& engine, int64_t step) {
    if (step == 1) engine.SetGroup(0, {.lr = 0.0625f, .momentum = 0.75f, .beta1 = 0.5f});
    if (freezes) engine.SetFrozen(frozen, step == 1);
  };
  if (*rc::gen::inRange(0, 4) == 0) {  // the first scale overflows: that step is skipped, the next one is not
    run.settings.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 0x1p120f, .backoff_factor = 0x1p-110f};
  }
  return run;
}

/// The same run elsewhere: nothing of this may change a bit.
void MoveElsewhere(TestRun& run) {
  EngineSettings& settings = run.settings;
  settings.stage = *rc::gen::inRange(0, 4);
  settings.plan = *rc::gen::elementOf(PlanNames());
  settings.bucket_cap_bytes = *rc::gen::element<int64_t>(0, 1, 40, 100, 1000);
  settings.overlap = *rc::gen::arbitrary<bool>();
  settings.offload = OffloadMode::kNone;
  if (settings.stage > 0)
    settings.offload = *rc::gen::element(OffloadMode::kNone, OffloadMode::kParams, OffloadMode::kFull);
  run.device = *rc::gen::element<std::string>("host", "sim");
  run.device_settings.overlap = settings.overlap;
  run.device_settings.seed = *rc::gen::inRange<uint64_t>(1, 1000);
}

void AssertSameBits(const TestRun& run, const std::vector<Snapshot>& expected) {
  RC_LOG() << Where(run) << "\n";
  RC_ASSERT(FirstDifference(expected, RunSteps(run)) == "");
}

void AssertSameBitsElsewhere(TestRun run, int times) {
  const auto expected = RunSteps(run);
  for (int i = 0; i < times; ++i) {
    MoveElsewhere(run);
    AssertSameBits(run, expected);
  }
}

RC_GTEST_PROP(SameBits, InEveryStageAndPlanWithAnyBucketsOnAnyDeviceWithAnyOffload, ()) {
  AssertSameBitsElsewhere(RandomRun(), 3);
}

RC_GTEST_PROP(SameBits, OfRingsInEveryStageOfOnePlan, ()) {
  TestRun run = RandomRun();
  run.settings.reduction_order = "ring";
  MoveElsewhere(run);
  run.settings.stage = 1;
  run.settings.offload = OffloadMode::kNone;
  const auto expected = RunSteps(run);
  for (const int stage : {0, 2, 3}) {
    run.settings.stage = stage;
    AssertSameBits(run, expected);
  }
}

RC_GTEST_PROP(SameBits, WhenRanksMeetAfterEveryMicroBatch, ()) {
  TestRun run = RandomRun();
  run.settings.gradient_sync = GradientSync::kEveryMicroBatch;
  AssertSameBitsElsewhere(run, 2);
}

RC_GTEST_PROP(SameBits, OnMeshesOfReplicas, ()) {
  TestRun run = RandomRun();
  const auto [replicas, shards] = *rc::gen::element(std::pair(2, 2), std::pair(2, 3), std::pair(3, 2), std::pair(3, 1));
  run.world_size = replicas * shards;
  run.settings.replicas = replicas;
  run.settings.gradient_sync = *rc::gen::element(GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch);
  AssertSameBitsElsewhere(run, 2);
}

/// With exact sums it does not matter either who computes which micro-batch, and when ranks meet.
RC_GTEST_PROP(SameBits, OnOneRankThatTakesAllMicroBatchesWhenSumsAreExact, ()) {
  TestRun run = RandomRun();
  run.gradient = Exact;
  run.settings.loss_scaling = {};
  run.settings.reduction_order = *rc::gen::element<std::string>("rank", "ring", "tree");
  run.settings.replicas = run.world_size % 2 == 0 ? *rc::gen::element(1, 2) : 1;
  run.settings.gradient_sync = *rc::gen::element(GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch);
  MoveElsewhere(run);
  const auto got = RunSteps(run);
  run.settings.micro_batches *= run.world_size;
  run.settings.replicas = run.world_size = 1;
  run.settings.gradient_sync = GradientSync::kLastMicroBatch;
  RC_ASSERT(FirstDifference(got, RunSteps(run)) == "");
}

/// A balanced tree over all micro-batches has the same bits on 1, 2, 4 and 8 ranks.
RC_GTEST_PROP(SameBits, OfTreesOnAnyNumberOfRanks, ()) {
  TestRun run = RandomRun();
  run.settings.reduction_order = "tree";
  run.settings.accumulation = run.settings.reduction = Precision::kFp32;
  run.settings.micro_batches = 8;
  run.world_size = 1;
  const auto expected = RunSteps(run);
  for (const int world_size : {2, 4, 8}) {
    run.world_size = world_size;
    run.settings.micro_batches = 8 / world_size;
    MoveElsewhere(run);
    AssertSameBits(run, expected);
  }
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
}  // namespace zerocts::engine
