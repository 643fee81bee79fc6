#include <gtest/gtest.h>
#include <zerocts/engine.hpp>

#include "impl/library/for_test/sentences.hpp"
#include "impl/library/for_test/training.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts::library {
namespace {

OptimizerSettings OptimizerOf(const EngineSettings& engine) {
  OptimizerSettings settings;
  settings.optimizer = engine.optimizer;
  settings.groups = engine.groups;
  for (const Parameter& parameter : engine.parameters) settings.group_of_tensor.push_back(parameter.group);
  return settings;
}

struct Buffers {
  Buffers(const Communicator& communicator, Precision of_parameters, Precision of_gradients)
      : parameters(communicator, kSizes, of_parameters), gradients(communicator, kSizes, of_gradients) {
    const Tensors initial = InitialTensors();
    for (int t = 0; t < parameters.tensors(); ++t) parameters.Write(t, initial[t]);
  }

  void Accumulate(const Tensors& values) {
    for (int t = 0; t < gradients.tensors(); ++t) {
      std::vector<Bf16> narrow;
      for (const float value : values[t]) narrow.push_back(ToBf16(value));
      const bool bf16 = gradients.precision() == Precision::kBf16;
      gradients.Accumulate(t, bf16 ? static_cast<const void*>(narrow.data()) : values[t].data());
    }
  }

  Tensors Parameters() const {
    Tensors read;
    for (int t = 0; t < parameters.tensors(); ++t) read.push_back(parameters.Read(t));
    return read;
  }

  Buffer parameters, gradients;
};

/// Equal bits to stage 1 of the engine, which is given the same gradients.
void ExpectBitsOfEngine(EngineSettings settings, Precision of_parameters, Precision of_gradients) {
  RunOnThreads(3, [&](const Communicator& communicator) {
    Buffers buffers(communicator, of_parameters, of_gradients);
    DistributedOptimizer optimizer(buffers.parameters, buffers.gradients, OptimizerOf(settings));
    for (int step = 0; step < kSteps; ++step) {
      buffers.Accumulate(GradientsOf(step, communicator.rank()));
      optimizer.Step();
    }
    EXPECT_EQ(BitsOf(buffers.Parameters()), BitsOf(TrainOn(communicator, settings)));
  });
}

TEST(DistributedOptimizer, HasTheBitsOfTheEngine) {
  for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam}) {
    EngineSettings wide = SettingsOf(1, "padded");
    wide.optimizer = kind;
    wide.groups[0].momentum = 0.5f;
    ExpectBitsOfEngine(wide, Precision::kFp32, Precision::kFp32);

    EngineSettings narrow = SettingsOf(1, "padded", Precision::kBf16);
    narrow.optimizer = kind;
    ExpectBitsOfEngine(narrow, Precision::kBf16, Precision::kBf16);

    narrow.reduction = Precision::kFp32;
    ExpectBitsOfEngine(narrow, Precision::kBf16, Precision::kFp32);
  }
}

TEST(DistributedOptimizer, KeepsMastersOfItsShardBeyondBf16) {
  RunOnThreads(3, [](const Communicator& communicator) {
    Buffer parameters(communicator, {7}, Precision::kBf16), gradients(communicator, {7}, Precision::kBf16);
    parameters.Write(0, std::vector<float>(7, 256.0f));
    OptimizerSettings settings;
    settings.optimizer = OptimizerKind::kSgd;
    settings.groups = {{.lr = 0.25f}};
    settings.gradients = GradientReduction::kSum;
    DistributedOptimizer optimizer(parameters, gradients, settings);
    const std::vector<Bf16> minus_one(7, ToBf16(-1.0f));
    gradients.Accumulate(0, minus_one.data());
    optimizer.Step();
    EXPECT_EQ(parameters.Read(0), std::vector<float>(7, 256.0f));  // 256.75 is not in bf16
    EXPECT_EQ(optimizer.ReadState("master").front(), 256.75f);
    gradients.Accumulate(0, minus_one.data());
    optimizer.SetGroup(0, {.lr = 0.75f});
    optimizer.Step();
    EXPECT_EQ(optimizer.ReadState("master").front(), 259.0f);
    EXPECT_EQ(parameters.Read(0), std::vector<float>(7, 260.0f));  // a tie, to even
  });
}

TEST(DistributedOptimizer, RefusesBySentences) {
  const Communicator alone = Communicator::Alone();
  Buffer parameters(alone, {3, 4}, Precision::kFp32), gradients(alone, {3, 4}, Precision::kFp32);
  Buffer other(alone, {4, 3}, Precision::kFp32);
  const auto said = [&](Buffer& of_gradients, const OptimizerSettings& settings) {
    return SentenceOf([&] { DistributedOptimizer(parameters, of_gradients, settings); });
  };
  EXPECT_EQ(said(gradients, {}), "");
  ExpectHas(said(other, {}), "expected buffers of the same ranks, tensors and alignment");
  ExpectHas(said(gradients, {.optimizer = OptimizerKind::kLamb}), "lamb needs whole tensors");
  ExpectHas(said(gradients, {.optimizer = OptimizerKind::kMuon}), "muon needs whole tensors");
  ExpectHas(said(gradients, {.group_of_tensor = {0}}), "groups of 1 tensors: expected 2");
  ExpectHas(said(gradients, {.group_of_tensor = {0, 1}}), "tensor 1 is in group 1: expected one of 1");
  ExpectHas(SentenceOf([&] { DistributedOptimizer(parameters, gradients, {}).ReadState("momentum"); }),
            "adamw has master, exp_avg, exp_avg_sq");
}

}  // namespace
}  // namespace zerocts::library
