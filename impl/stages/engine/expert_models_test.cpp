// Models whose last hidden layer has experts, trained on a text in every stage: the bits of the reference, and what is
// refused.
#include <gtest/gtest.h>

#include "impl/stages/engine/memory_estimate.hpp"
#include "impl/stages/for_test/experiment_run.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/train/text_experiment_for_test.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts::engine {
namespace {

/// W data ranks, K micro-batches each, E experts.
struct Ranks {
  int world_size, micro_batches, experts;
};
void PrintTo(const Ranks& r, std::ostream* out) {
  *out << "W=" << r.world_size << " K=" << r.micro_batches << " E=" << r.experts;
}

/// Odd sizes, which the ranks of an expert do not divide.
Experiment ExperimentOf(const Ranks& ranks, const TemporaryText& text, Precision precision) {
  Experiment e = TextExperiment(
      text, MlpSpec{.vocab = 128, .context = 3, .embedding = 5, .hidden = {7, 9}, .experts = ranks.experts});
  e.precision = precision;
  e.world_size = ranks.world_size;
  e.micro_batches = ranks.micro_batches;
  e.max_norm = 0.25f;
  e.batch = 2;
  e.steps = 12;
  return e;
}

/// `e` and `text` are the caller's while the run is used.
TestRun RunOf(const Experiment& e, int stage, const TextCorpus& text) {
  TestRun run = RunOfExperiment(e, stage);
  run.tokens = [&e, &text](int64_t step, int64_t g) { return MakeBatch(e, text, step, g); };
  return run;
}

void ExpectReferenceTraining(const Experiment& e, const TestRun& run) {
  const auto snapshots = RunSteps(run);
  Trainer trainer(e, UniformOrder(e, RankFold(e.world_size, e.micro_batches)), HostOps());
  bool clipped = false;
  for (const Snapshot& got : snapshots) {
    const StepTrace expected = trainer.Step();
    clipped = clipped || expected.clip_coefficient < 1;
    ASSERT_EQ(got.grad_norm, CanonicalBits(expected.grad_norm)) << Where(run) << ", step " << expected.step;
    ASSERT_EQ(got.states.at("gradient"), BitsOf(expected.gradient)) << Where(run) << ", step " << expected.step;
    ASSERT_EQ(got.states.at("master"), BitsOf(expected.master)) << Where(run) << ", step " << expected.step;
    ASSERT_EQ(got.parameters, BitsOf(expected.parameter)) << Where(run) << ", step " << expected.step;
  }
  EXPECT_TRUE(clipped);
}

class ExpertModels : public testing::TestWithParam<Ranks> {};
INSTANTIATE_TEST_SUITE_P(Ranks, ExpertModels,
                         testing::Values(Ranks{2, 3, 2}, Ranks{4, 3, 2}, Ranks{6, 5, 2}, Ranks{6, 2, 3},
                                         Ranks{3, 1, 3}));

TEST_P(ExpertModels, HaveTheBitsOfTheReferenceInEveryStage) {
  const TemporaryText file(kText);
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const Experiment e = ExperimentOf(GetParam(), file, precision);
    const TextCorpus text = TextCorpus::LoadFor(e);
    for (const int stage : {0, 1, 2, 3}) ExpectReferenceTraining(e, RunOf(e, stage, text));
  }
}

TEST_P(ExpertModels, HaveThemOnAsynchronousStreamsAndWithOffload) {
  const TemporaryText file(kText);
  const Experiment e = ExperimentOf(GetParam(), file, Precision::kFp32);
  const TextCorpus text = TextCorpus::LoadFor(e);
  for (const int stage : {1, 2, 3}) {
    TestRun run = RunOf(e, stage, text);
    run.settings.overlap = run.device_settings.overlap = true;
    run.settings.offload = stage == 2 ? OffloadMode::kFull : stage == 3 ? OffloadMode::kParams : OffloadMode::kNone;
    run.settings.bucket_cap_bytes = 100;
    run.device = "sim";
    run.device_settings.seed = static_cast<uint64_t>(stage);
    ExpectReferenceTraining(e, run);
  }
}

TEST(ModelsWithExperts, TakeTheMemoryThatWasEstimated) {
  const TemporaryText file(kText);
  Experiment e = ExperimentOf({6, 2, 3}, file, Precision::kBf16);
  e.steps = 1;
  const TextCorpus text = TextCorpus::LoadFor(e);
  for (const int stage : {0, 1, 2, 3}) {
    TestRun run = RunOf(e, stage, text);
    run.before_step = [&run, stage](Engine& engine, int64_t) {
      const auto same_as = [&](int rank) {  // ranks of one shard have as much
        const MemoryLedger estimate = EstimateMemory(run.settings, rank, 6);
        return engine.memory().peak() == estimate.peak() &&
               engine.memory()[MemoryKind::kOptimizer] == estimate[MemoryKind::kOptimizer];
      };
      EXPECT_TRUE(same_as(0) || same_as(1) || same_as(2) || same_as(3) || same_as(4) || same_as(5)) << stage;
    };
    RunSteps(run);
  }
}

void ExpectProblem(const std::function<void(EngineSettings&)>& change, const std::string& sentence) {
  const TemporaryText file(kText);
  const Experiment e = ExperimentOf({6, 2, 3}, file, Precision::kFp32);
  const TextCorpus text = TextCorpus::LoadFor(e);
  EngineSettings settings = RunOf(e, 1, text).settings;
  ASSERT_EQ(Problem(settings, 6), "");
  change(settings);
  EXPECT_EQ(Problem(settings, 6), sentence);
}

TEST(ModelsWithExperts, AreRefusedInASentence) {
  ExpectProblem([](EngineSettings& s) { std::get<MlpSpec>(*s.model).experts = 1; },
                "the model has 7 parameters, but 11 were given");
  ExpectProblem([](EngineSettings& s) { s.experts = 6; }, "experts is 6, but the model's own layers have 3");
  ExpectProblem([](EngineSettings& s) { s.parameters[5].expert = 0; },
                "parameter 5 (hidden1.expert1.weight) is of expert 0, but in the model of expert 1");
  ExpectProblem([](EngineSettings& s) { s.parameters[5].expert = -1; },
                "parameter 5 (hidden1.expert1.weight) is of no expert, but in the model of expert 1");
}

}  // namespace
}  // namespace zerocts::engine
