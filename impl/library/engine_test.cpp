#include <gtest/gtest.h>
#include <zerocts/engine.hpp>

#include <bit>
#include <mutex>

#include "impl/library/for_test/sentences.hpp"
#include "impl/library/for_test/training.hpp"

namespace zerocts::library {
namespace {

/// The same on every rank, and as one rank makes it.
void ExpectBitsOfOneRank(const EngineSettings& settings, int ranks) {
  const auto expected = BitsOf(TrainAlone(settings, ranks));
  RunOnThreads(ranks,
               [&](const Communicator& communicator) { EXPECT_EQ(BitsOf(TrainOn(communicator, settings)), expected); });
}

TEST(LibraryEngine, EveryStageAndPlanHasTheBitsOfOneRank) {
  for (int stage = 0; stage <= 3; ++stage) {
    for (const char* plan : {"contiguous", "padded", "per-parameter-rows", "round-robin"}) {
      SCOPED_TRACE(std::to_string(stage) + " " + plan);
      ExpectBitsOfOneRank(SettingsOf(stage, plan), 3);
    }
  }
}

TEST(LibraryEngine, OffloadOverlapAndClippingHaveTheBitsOfOneRank) {
  EngineSettings settings = SettingsOf(2, "padded");
  settings.overlap = true;
  settings.max_norm = 0.5f;
  for (const Offload offload : {Offload::kNone, Offload::kParameters, Offload::kFull}) {
    EngineSettings offloaded = settings;
    offloaded.offload = offload;
    const auto expected = BitsOf(TrainAlone(settings, 3));
    RunOnThreads(
        3, [&](const Communicator& communicator) { EXPECT_EQ(BitsOf(TrainOn(communicator, offloaded)), expected); });
  }
}

TEST(LibraryEngine, ReplicasHaveTheBitsOfOneRankInTreeOrder) {
  EngineSettings settings = SettingsOf(3, "contiguous");
  settings.mesh = {.replicas = 2, .shards = 2};
  settings.reduction_order = "tree";
  ExpectBitsOfOneRank(settings, 4);
}

TEST(LibraryEngine, Bf16HasTheBitsOfTheSameOrderOnEveryRank) {
  EngineSettings settings = SettingsOf(1, "padded", Precision::kBf16);
  std::mutex mutex;
  std::vector<Tensors> of_rank;
  RunOnThreads(3, [&](const Communicator& communicator) {
    const Tensors trained = TrainOn(communicator, settings);
    const std::lock_guard lock(mutex);
    of_rank.push_back(trained);
  });
  EXPECT_EQ(BitsOf(of_rank[1]), BitsOf(of_rank[0]));
  EXPECT_EQ(BitsOf(of_rank[2]), BitsOf(of_rank[0]));
  for (const float value : of_rank[0][3])
    EXPECT_EQ(value, std::bit_cast<float>(std::bit_cast<uint32_t>(value) >> 16 << 16));
}

TEST(LibraryEngine, EveryElementHasOneOwnerWhoseMasterIsTheParameter) {
  std::mutex mutex;
  std::vector<int> owners(35);
  RunOnThreads(3, [&](const Communicator& communicator) {
    Engine engine(communicator, SettingsOf(3, "contiguous"), InitialTensors());
    engine.Accumulate(GradientsOf(0, communicator.rank()));
    engine.Step();
    const std::vector<float> whole = engine.ReadParameter(3);
    for (const ElementRange& range : engine.Owned(3)) {
      const std::vector<float> master = engine.ReadState("master", 3, range);
      const std::lock_guard lock(mutex);
      for (int64_t i = range.begin; i < range.end; ++i) {
        ++owners[i];
        EXPECT_EQ(master[i - range.begin], whole[i]);
      }
    }
  });
  EXPECT_EQ(owners, std::vector<int>(35, 1));
}

TEST(LibraryEngine, GroupsAndFrozenParametersChangeBetweenSteps) {
  RunOnThreads(3, [](const Communicator& communicator) {
    EngineSettings settings = SettingsOf(2, "padded");
    settings.optimizer = OptimizerKind::kSgd;
    settings.groups = {{.lr = 1.0f}, {.lr = 1.0f}};
    Engine engine(communicator, settings, InitialTensors());
    const Tensors ones = {std::vector<float>(7, 1.0f), {1.0f}, {}, std::vector<float>(35, 1.0f)};
    engine.SetGroup(0, {.lr = 0.25f});
    engine.SetFrozen(3, true);
    engine.Accumulate({ones[0], ones[1], {}, {}});
    engine.Step();
    EXPECT_EQ(engine.ReadParameter(0)[6], InitialTensors()[0][6] - 0.25f);
    EXPECT_EQ(engine.ReadParameter(1)[0], InitialTensors()[1][0] - 1.0f);
    EXPECT_EQ(engine.ReadParameter(3), InitialTensors()[3]);
  });
}

/// The gradient of rank r is r + 1.
Tensors OwnGradients(const Communicator& communicator) {
  const auto value = static_cast<float>(communicator.rank() + 1);
  return {std::vector<float>(7, value), {value}, {}, std::vector<float>(35, value)};
}

TEST(LibraryEngine, SumTakesThePlaceOfTheMean) {
  for (int stage = 0; stage <= 3; ++stage) {
    RunOnThreads(3, [&](const Communicator& communicator) {
      EngineSettings settings = SettingsOf(stage, "padded");
      settings.gradients = GradientReduction::kSum;
      settings.micro_batches = 2;
      Engine engine(communicator, settings, InitialTensors());
      for (int k = 0; k < 2; ++k) engine.Accumulate(OwnGradients(communicator));
      engine.Step();
      for (const ElementRange& range : engine.Owned(3)) {
        for (const float value : engine.ReadState("gradient", 3, range)) EXPECT_EQ(value, 12.0f);
      }
    });
  }
}

TEST(LibraryEngine, GradientsAreSyncedAndClippedBeforeTheStep) {
  for (int stage = 0; stage <= 3; ++stage) {
    RunOnThreads(3, [&](const Communicator& communicator) {
      EngineSettings settings = SettingsOf(stage, "contiguous");
      settings.clip_epsilon = 0;
      Engine engine(communicator, settings, InitialTensors());
      const auto accumulate = [&] {
        Tensors gradients = OwnGradients(communicator);
        gradients[0] = {3.0f, 0, 0, 0, 0, 0, 0};
        gradients[1] = {4.0f};
        gradients[3].clear();
        engine.Accumulate(gradients);
      };
      ExpectHas(SentenceOf([&] { engine.SyncGradients(); }), "got step 0 after 0");
      accumulate();
      EXPECT_EQ(engine.SyncGradients(), 5.0f);
      for (const ElementRange& range : engine.Owned(1)) {
        EXPECT_EQ(engine.ReadState("gradient", 1, range).front(), 4.0f);
      }
      EXPECT_EQ(engine.ClipGradNorm(2.5f), 5.0f);
      EXPECT_EQ(engine.Step().clip_coefficient, 0.5f);
      accumulate();
      EXPECT_EQ(engine.Step().clip_coefficient, 1.0f);  // as the settings say
    });
  }
}

TEST(LibraryEngine, SyncedStepsHaveTheBitsOfOthers) {
  for (int stage = 0; stage <= 3; ++stage) {
    RunOnThreads(3, [&](const Communicator& communicator) {
      EngineSettings settings = SettingsOf(stage, "padded");
      settings.offload = stage > 0 ? Offload::kFull : Offload::kNone;
      Engine engine(communicator, settings, InitialTensors());
      for (int step = 0; step < kSteps; ++step) {
        engine.Accumulate(GradientsOf(step, communicator.rank()));
        const float norm = engine.SyncGradients();
        EXPECT_EQ(engine.Step().grad_norm, norm);
      }
      EXPECT_EQ(BitsOf(engine.GatherParameters()), BitsOf(TrainOn(communicator, settings)));
    });
  }
}

/// Parameters 0 to 2 train from the first step on, the last from the third.
Tensors TrainWithLateGroup(const Communicator& communicator, EngineSettings settings) {
  const Parameter last = settings.parameters.back();
  settings.parameters.pop_back();
  settings.groups = {settings.groups[0], settings.groups[1]};
  Tensors initial = InitialTensors();
  initial.pop_back();
  Engine engine(communicator, settings, initial);
  for (int step = 0; step < kSteps; ++step) {
    if (step == 2) engine.AddGroup({.lr = 0.03125f}, {last}, {InitialTensors().back()});
    Tensors gradients = GradientsOf(step, communicator.rank());
    if (step < 2) gradients.pop_back();
    engine.Accumulate(gradients);
    engine.Step();
  }
  return engine.GatherParameters();
}

/// The same by an engine that has the group from the start, and gives it no gradients at first.
Tensors TrainWithIdleGroup(const Communicator& communicator, EngineSettings settings) {
  settings.groups.push_back({.lr = 0.03125f});
  settings.parameters.back().group = 2;
  Engine engine(communicator, settings, InitialTensors());
  for (int step = 0; step < kSteps; ++step) {
    Tensors gradients = GradientsOf(step, communicator.rank());
    if (step < 2) gradients.back().clear();
    engine.Accumulate(gradients);
    engine.Step();
  }
  return engine.GatherParameters();
}

TEST(LibraryEngine, AGroupThatJoinsLateHasTheBitsOfOneThatWasIdle) {
  for (int stage = 0; stage <= 3; ++stage) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      for (const int replicas : {1, 2}) {
        RunOnThreads(2 + replicas, [&](const Communicator& communicator) {
          EngineSettings settings = SettingsOf(stage, "contiguous", precision);
          settings.mesh.replicas = replicas;
          EXPECT_EQ(BitsOf(TrainWithLateGroup(communicator, settings)),
                    BitsOf(TrainWithIdleGroup(communicator, settings)));
        });
      }
    }
  }
}

TEST(LibraryEngine, GatheredParametersStayUntilTheyAreResharded) {
  RunOnThreads(3, [](const Communicator& communicator) {
    Engine engine(communicator, SettingsOf(3, "per-parameter"), InitialTensors());
    const Tensors& gathered = engine.GatherParameters();
    EXPECT_EQ(gathered, InitialTensors());
    engine.ReshardParameters();
    EXPECT_TRUE(gathered.empty());
  });
}

TEST(LibraryEngine, HoldsWhatTheEstimateSays) {
  for (int stage = 0; stage <= 3; ++stage) {
    RunOnThreads(3, [&](const Communicator& communicator) {
      const EngineSettings settings = SettingsOf(stage, "padded");
      const MemoryBytes held = Engine(communicator, settings, InitialTensors()).Memory();
      const MemoryBytes estimate = Engine::MemoryEstimate(settings, communicator.rank(), 3);
      EXPECT_EQ(held.parameters, estimate.parameters);
      EXPECT_EQ(held.gradients, estimate.gradients);
      EXPECT_EQ(held.optimizer, estimate.optimizer);
      EXPECT_EQ(held.buffers, estimate.buffers);
      EXPECT_EQ(held.peak, estimate.peak);
    });
  }
  const int64_t replicated = Engine::MemoryEstimate(SettingsOf(0, "padded"), 0, 3).optimizer;
  EXPECT_EQ(replicated, 2 * 4 * (9 + 36));  // two moments of buckets of 8 and 35 elements, padded for 3 ranks
}

TEST(LibraryEngine, RefusesBySentences) {
  const Communicator alone = Communicator::Alone();
  const auto said = [&](const EngineSettings& settings, const Tensors& initial) {
    return SentenceOf([&] { Engine(alone, settings, initial); });
  };
  EngineSettings mesh = SettingsOf(1, "padded");
  mesh.mesh = {.replicas = 1, .shards = 3};
  ExpectHas(said(mesh, InitialTensors()), "expected 3 ranks, got 1");
  EngineSettings group = SettingsOf(1, "padded");
  group.parameters[1].group = 2;
  ExpectHas(said(group, InitialTensors()), "parameter p1 is in group 2: expected one of 2 groups");
  ExpectHas(said(SettingsOf(4, "padded"), InitialTensors()), "stage is 4");
  ExpectHas(said(SettingsOf(1, "heap"), InitialTensors()), "heap");
  ExpectHas(said(SettingsOf(1, "padded"), {}), "initial values of 0 parameters: expected 4");
  ExpectHas(said(SettingsOf(1, "padded"), {{}, {}, {}, {}}), "expected 7 elements, got 0");

  EngineSettings clipped = SettingsOf(1, "padded");
  clipped.max_norm = -1;
  ExpectHas(said(clipped, InitialTensors()), "max_norm is -1");
  EngineSettings idle = SettingsOf(1, "padded");
  idle.micro_batches = 0;
  ExpectHas(said(idle, InitialTensors()), "micro_batches is 0");
  EngineSettings negative = SettingsOf(1, "padded");
  negative.parameters[1].shape = {-1};
  ExpectHas(said(negative, InitialTensors()), "parameter p1 has dimension -1");
  ExpectHas(SentenceOf([] { Engine::MemoryEstimate(SettingsOf(1, "padded"), 3, 3); }), "rank is 3");

  Engine engine(alone, SettingsOf(1, "padded"), InitialTensors());
  ExpectHas(SentenceOf([&] { engine.AddGroup({}, {{"late", {3}}}, {{1.0f}}); }), "(late): expected 3 elements, got 1");
  ExpectHas(SentenceOf([&] {
              engine.Accumulate(Tensors{{1.0f}, {}, {}, {}});
            }),
            "gradients of parameter 0 (p0): expected 7 elements, got 1");
  ExpectHas(SentenceOf([&] { engine.Step(); }), "got step 0 after 0");
  ExpectHas(SentenceOf([&] { engine.ReadParameter(4); }), "4 parameters");
}

}  // namespace
}  // namespace zerocts::library
