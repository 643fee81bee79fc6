#include <gtest/gtest.h>
#include <zerocts/engine.hpp>

#include "impl/library/for_test/sentences.hpp"
#include "impl/library/for_test/training.hpp"

namespace zerocts::library {
namespace {

void TrainSteps(Engine& engine, const std::vector<int>& ranks, int64_t begin, int64_t end) {
  for (auto step = static_cast<int>(begin); step < end; ++step) {
    for (const int rank : ranks) engine.Accumulate(GradientsOf(step, rank));
    engine.Step();
  }
}

TEST(LibraryCheckpoint, GoesOnInAnyStagePlanAndNumberOfRanks) {
  for (const OptimizerKind optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdamW}) {
    EngineSettings settings = SettingsOf(3, "contiguous");
    settings.optimizer = optimizer;
    settings.groups[0].momentum = 0.5f;
    settings.groups[0].dampening = 0.25f;  // the first step of a buffer is another
    const auto expected = BitsOf(TrainAlone(settings, 3));
    Checkpoint saved;
    RunOnThreads(3, [&](const Communicator& communicator) {
      Engine engine(communicator, settings, InitialTensors());
      TrainSteps(engine, {communicator.rank()}, 0, 2);
      const Checkpoint checkpoint = engine.Save();
      if (communicator.rank() == 1) saved = checkpoint;
    });
    EXPECT_EQ(saved.steps, 2);
    const Tensors zeros = {std::vector<float>(7), {0}, {}, std::vector<float>(35)};
    for (int stage = 0; stage <= 3; ++stage) {
      EngineSettings other = settings;
      other.stage = stage;
      other.plan = "round-robin";
      RunOnThreads(3, [&](const Communicator& communicator) {
        Engine engine(communicator, other, zeros);
        engine.Resume(saved);
        EXPECT_EQ(BitsOf(engine.GatherParameters()), BitsOf(saved.states.at("master")));
        TrainSteps(engine, {communicator.rank()}, 2, kSteps);
        EXPECT_EQ(BitsOf(engine.GatherParameters()), expected);
      });
    }
    settings.micro_batches = 3;
    Engine alone(Communicator::Alone(), settings, zeros);
    alone.Resume(saved);
    TrainSteps(alone, {0, 1, 2}, 2, kSteps);
    EXPECT_EQ(BitsOf(alone.GatherParameters()), expected);
  }
}

TEST(LibraryCheckpoint, IsSavedBetweenTwoStepsAsGroupsAreAdded) {
  EngineSettings settings = SettingsOf(1, "padded");
  settings.micro_batches = 2;
  Engine engine(Communicator::Alone(), settings, InitialTensors());
  engine.Accumulate(GradientsOf(0, 0));
  const std::string sentence = "step 0 has 1 of its 2 micro-batches: expected this call between two steps";
  ExpectHas(SentenceOf([&] { engine.Save(); }), sentence);
  ExpectHas(SentenceOf([&] { engine.AddGroup({}, {{"late", {1}}}, {{1.0f}}); }), sentence);
  engine.Accumulate(GradientsOf(0, 1));
  engine.Step();
  EXPECT_EQ(SentenceOf([&] { engine.Save(); }), "");
}

TEST(LibraryCheckpoint, IsRefusedByAnotherEngine) {
  const Communicator alone = Communicator::Alone();
  const EngineSettings settings = SettingsOf(1, "padded");
  const Checkpoint saved = Engine(alone, settings, InitialTensors()).Save();
  const auto said = [&](const Checkpoint& checkpoint) {
    return SentenceOf([&] { Engine(alone, settings, InitialTensors()).Resume(checkpoint); });
  };
  EXPECT_EQ(said(saved), "");
  Checkpoint stateless = saved, groupless = saved, short_of_one = saved;
  stateless.states.erase("exp_avg_sq");
  ExpectHas(said(stateless), "no state exp_avg_sq: expected master, exp_avg, exp_avg_sq");
  groupless.groups.pop_back();
  ExpectHas(said(groupless), "other groups or parameters");
  short_of_one.states["master"][0].pop_back();
  ExpectHas(said(short_of_one), "master of parameter 0 (p0): expected 7 elements, got 6");
}

}  // namespace
}  // namespace zerocts::library
