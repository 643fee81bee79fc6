#include "impl/stages/for_test/device_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

float Value(uint64_t stream, int64_t i) {
  const auto index = static_cast<uint64_t>(i);
  return std::ldexp(RandomUniform(1, stream, index), static_cast<int>(RandomBelow(2, stream, index, 20)) - 10);
}

void AddParameter(TestRun& run, const ParameterSpec& spec) {
  run.settings.parameters.push_back({.spec = spec});
  const uint64_t stream = Stream({5, run.initial.size()});
  run.initial.emplace_back();
  for (int64_t i = 0; i < spec.numel(); ++i) run.initial.back().push_back(0.25f * Value(stream, i));
}

}  // namespace

TestRun RunOfGivenGradients() {
  TestRun run;
  for (const int64_t numel : {7, 1, 0, 33, 5}) AddParameter(run, {fmt::format("p{}", run.initial.size()), {numel}, 0});
  run.settings.parameters[4].buffer = true;
  run.gradient = [](int64_t step, int64_t g, int p, int64_t i) {
    return Value(Stream({7, static_cast<uint64_t>(step), static_cast<uint64_t>(g), static_cast<uint64_t>(p)}), i);
  };
  run.has_gradient = [](int64_t, int64_t, int p) { return p != 4; };
  return run;
}

TestRun RunOfAModel() {
  TestRun run;
  const ModelSpec model = GptSpec{.vocab = 7, .context = 3, .layers = 2, .heads = 2, .width = 6};
  for (const ParameterSpec& spec : ModelParameters(model)) AddParameter(run, spec);
  run.settings.model = model;
  run.settings.loss_scaling = {.kind = LossScaleKind::kStatic, .scale = 1024};
  return run;
}

void ExpectTheBitsOfTheHost(TestRun run, const std::string& device, const std::vector<OptimizerKind>& optimizers) {
  run.settings.groups = {{.lr = 0.0625f, .weight_decay = 0.01f, .momentum = 0.9f}, {.lr = 0.125f}};
  run.settings.max_norm = 0.5f;
  run.settings.micro_batches = 2;
  run.world_size = 3;
  run.steps = 3;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (const OptimizerKind optimizer : optimizers) {
      run.settings.precision = run.settings.reduction = precision;
      run.settings.optimizer.kind = optimizer;
      if (optimizer == OptimizerKind::kMuon) CutIntoMatrices(run.settings);
      run.settings.stage = 0;
      run.settings.offload = OffloadMode::kNone;
      run.device = "host";
      const auto expected = RunSteps(run);
      run.device = device;
      for (run.settings.stage = 0; run.settings.stage <= 3; ++run.settings.stage) {
        run.settings.overlap = run.settings.stage % 2 == 0;
        EXPECT_EQ(FirstDifference(expected, RunSteps(run)), "") << "stage " << run.settings.stage;
      }
      for (run.settings.stage = 1; run.settings.stage <= 3; ++run.settings.stage) {
        for (const OffloadMode offload : {OffloadMode::kParams, OffloadMode::kFull}) {
          run.settings.offload = offload;
          EXPECT_EQ(FirstDifference(expected, RunSteps(run)), "")
              << "stage " << run.settings.stage << " offload " << static_cast<int>(offload);
        }
      }
    }
  }
}

void ExpectTheBitsOfOneTensorRank(const std::string& device, bool splits_all) {
  TestRun run = RunOfAModel();
  auto& gpt = std::get<GptSpec>(*run.settings.model);
  gpt.slice_order.slices = 2;
  gpt.sequence_parallel = gpt.vocab_parallel = splits_all;
  run.settings.groups = {{.lr = 0.0625f}, {.lr = 0.125f}};
  run.settings.max_norm = 0.5f;
  run.settings.optimizer.kind = OptimizerKind::kAdamW;
  run.steps = 2;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    run.settings.precision = precision;
    run.device = "host";
    run.settings.tensor = run.world_size = 1;
    const auto expected = RunSteps(run);
    run.device = device;
    run.settings.tensor = run.world_size = 2;
    for (run.settings.stage = 0; run.settings.stage <= 3; run.settings.stage += 3) {
      EXPECT_EQ(FirstDifference(expected, RunSteps(run)), "") << Where(run);
    }
    run.settings.stage = 0;
  }
}

void ExpectTheBitsOfOneRank(TestRun run) {
  run.settings.groups = {{.lr = 0.0625f, .weight_decay = 0.01f}, {.lr = 0.125f}};
  run.settings.max_norm = 0.5f;
  run.settings.optimizer.kind = OptimizerKind::kAdamW;
  run.settings.reduction_order = "tree";
  run.steps = 3;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    run.settings.precision = precision;
    for (const auto& [micro_batches, world_sizes] :
         {std::pair(4, std::vector{1, 2, 4}), std::pair(3, std::vector{3})}) {
      run.settings.stage = 0;
      run.settings.micro_batches = micro_batches;
      run.world_size = 1;
      const auto expected = RunSteps(run);
      for (const int world_size : world_sizes) {
        run.world_size = world_size;
        run.settings.micro_batches = micro_batches / world_size;
        for (run.settings.stage = 0; run.settings.stage <= 3; ++run.settings.stage) {
          run.settings.overlap = run.settings.stage % 2 == 1;
          EXPECT_EQ(FirstDifference(expected, RunSteps(run)), "") << Where(run);
        }
      }
    }
  }
}

}  // namespace zerocts::engine
