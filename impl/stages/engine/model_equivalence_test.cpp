// The engine's own gradients: what must not change a bit when units are gathered, computed with and released.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "impl/layout/plans.hpp"
#include "impl/stages/for_test/engines.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

TestRun RunOf(const ModelSpec& model) {
  TestRun run;
  run.settings.stage = 0;
  run.settings.model = model;
  run.settings.optimizer.kind = OptimizerKind::kAdamW;
  run.settings.groups = {{.lr = 0.0625f}, {.lr = 0.125f}};
  run.world_size = 3;
  run.steps = 3;
  for (const ParameterSpec& spec : ModelParameters(model)) {
    run.settings.parameters.push_back({.spec = spec});
    const auto stream = Stream({5, run.initial.size()});
    run.initial.emplace_back();
    for (int64_t i = 0; i < spec.numel(); ++i) {
      run.initial.back().push_back(0.25f * RandomUniform(1, stream, static_cast<uint64_t>(i)));
    }
  }
  return run;
}

TestRun RandomModelRun() {
  const bool tied = *rc::gen::arbitrary<bool>();
  const ModelSpec gpt = GptSpec{.vocab = 7, .context = 3, .layers = 3, .heads = 2, .width = 6, .tied = tied};
  const ModelSpec mlp = MlpSpec{.vocab = 5, .context = 2, .embedding = 3, .hidden = {4, 5}};
  TestRun run = RunOf(*rc::gen::element(gpt, gpt, mlp));
  run.settings.precision = *rc::gen::element(Precision::kFp32, Precision::kBf16);
  run.settings.micro_batches = *rc::gen::inRange(1, 4);
  run.settings.gradient_sync = *rc::gen::element(GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch);
  run.settings.max_norm = *rc::gen::element(0.0f, 0.5f);
  run.world_size = *rc::gen::inRange(1, 5);
  run.settings.replicas = run.world_size == 4 ? *rc::gen::element(1, 2) : 1;
  run.before_micro_batches = [](Engine& engine, int64_t step) { engine.SetFrozen(1, step == 1); };
  run.own_precisions = true;
  const bool mixed = run.settings.precision == Precision::kFp32 && *rc::gen::arbitrary<bool>();
  for (size_t p = 0; p < run.settings.parameters.size(); ++p) {
    EngineParameter& parameter = run.settings.parameters[p];
    parameter.precision = mixed && p % 3 == 0 ? Precision::kBf16 : run.settings.precision;
    parameter.buffer = p == 2 || p == 5;
  }
  if (*rc::gen::inRange(0, 4) == 0) run.settings.loss_scaling = {.kind = LossScaleKind::kStatic, .scale = 1024};
  return run;
}

RC_GTEST_PROP(SameBitsOfAModel, InEveryStageAndPlanWithAnyBucketsOnAnyDeviceWithAnyOffload, ()) {
  TestRun run = RandomModelRun();
  const auto expected = RunSteps(run);
  for (int i = 0; i < 3; ++i) {
    run.settings.stage = *rc::gen::inRange(0, 4);
    run.settings.plan = *rc::gen::elementOf(PlanNames());
    run.settings.bucket_cap_bytes = *rc::gen::element<int64_t>(0, 1, 100, 1000);
    run.settings.overlap = run.device_settings.overlap = *rc::gen::arbitrary<bool>();
    run.settings.offload = OffloadMode::kNone;
    if (run.settings.stage > 0)
      run.settings.offload = *rc::gen::element(OffloadMode::kNone, OffloadMode::kParams, OffloadMode::kFull);
    run.device = *rc::gen::element<std::string>("host", "sim");
    run.device_settings.seed = *rc::gen::inRange<uint64_t>(1, 1000);
    RC_LOG() << Where(run) << "\n";
    RC_ASSERT(FirstDifference(expected, RunSteps(run)) == "");
  }
}

}  // namespace
}  // namespace zerocts::engine
