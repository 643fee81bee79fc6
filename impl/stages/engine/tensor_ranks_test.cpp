// Models whose layers tensor ranks split, under ZeRO: the bits of one rank per layer, whatever else is sharded.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <mutex>

#include "impl/layout/plans.hpp"
#include "impl/stages/engine/memory_estimate.hpp"
#include "impl/stages/for_test/engines.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

constexpr SliceOrder kTwelve{.slices = 12};
const MlpSpec kMlp{.vocab = 7, .context = 2, .embedding = 3, .hidden = {13, 5}, .slice_order = kTwelve};
const GptSpec kGpt{.vocab = 7, .context = 3, .layers = 2, .heads = 12, .width = 24, .slice_order = kTwelve};

TestRun TrainingOf(const ModelSpec& model, int data_ranks) {
  TestRun run;
  run.settings.model = model;
  run.settings.optimizer.kind = OptimizerKind::kAdamW;
  run.settings.groups = {{.lr = 0.0625f}, {.lr = 0.125f}};
  run.settings.max_norm = 0.5f;
  run.world_size = data_ranks;
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

TestRun OnTensorRanks(TestRun run, int tensor) {
  run.settings.tensor = tensor;
  run.world_size *= tensor;
  return run;
}

void ExpectTheBitsOfOneTensorRank(const TestRun& run, const std::vector<int>& tensors) {
  const auto expected = RunSteps(run);
  for (const int tensor : tensors) {
    const TestRun split = OnTensorRanks(run, tensor);
    EXPECT_EQ(FirstDifference(expected, RunSteps(split)), "") << Where(split);
  }
}

/// In twenty steps.
void ExpectThemInBothPrecisions(TestRun run, int stage, const std::vector<int>& tensors) {
  run.settings.stage = stage;
  run.steps = 20;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    run.settings.precision = precision;
    ExpectTheBitsOfOneTensorRank(run, tensors);
  }
}

class TwentySteps : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Stages, TwentySteps, testing::Values(0, 1, 2, 3));

template <typename Spec>
Spec VocabParallel(Spec spec) {
  spec.vocab_parallel = true;
  return spec;
}

TEST_P(TwentySteps, OfAVocabParallelModelHaveTheBitsOfOneTensorRank) {
  GptSpec untied = VocabParallel(kGpt);
  untied.tied = false;
  MlpSpec row_parallel_logits = VocabParallel(kMlp);
  row_parallel_logits.hidden = {5};
  int seed = 0;
  for (const ModelSpec& model : {ModelSpec(VocabParallel(kMlp)), ModelSpec(row_parallel_logits),
                                 ModelSpec(VocabParallel(kGpt)), ModelSpec(untied)}) {
    TestRun run = TrainingOf(model, 2);
    run.settings.stage = GetParam();
    run.settings.precision = ++seed % 2 == 0 ? Precision::kBf16 : Precision::kFp32;
    run.steps = 20;
    ExpectTheBitsOfOneTensorRank(run, {2, 3, 4});
  }
}

TEST_P(TwentySteps, OfAnMlpHaveTheBitsOfOneTensorRank) {
  ExpectThemInBothPrecisions(TrainingOf(kMlp, 2), GetParam(), {2, 3, 4});
}

/// Contexts that tensor ranks do not divide, and outnumber.
TEST_P(TwentySteps, OfASequenceParallelGptHaveTheBitsOfOneTensorRank) {
  for (const bool tied : {true, false}) {
    GptSpec gpt = kGpt;
    gpt.tied = tied;
    gpt.context = tied ? 3 : 7;
    gpt.sequence_parallel = true;
    ExpectThemInBothPrecisions(TrainingOf(gpt, 1), GetParam(), {2, 3, 4});
  }
}

/// 12 heads of queries ask 6 of keys and values, 2 of which a rank may have.
const GptSpec kGrouped{
    .vocab = 7, .context = 3, .layers = 2, .heads = 12, .kv_heads = 6, .width = 24, .slice_order = {.slices = 6}};

TEST_P(TwentySteps, OfGroupedQueriesHaveTheBitsOfOneTensorRank) {
  GptSpec all_split = VocabParallel(kGrouped);
  all_split.tied = false;
  all_split.sequence_parallel = true;
  GptSpec groups_of_four = kGrouped;  // with T = 3 a rank's 4 heads of queries are one group
  groups_of_four.kv_heads = groups_of_four.slice_order.slices = 3;
  for (const GptSpec& gpt : {kGrouped, all_split}) {
    ExpectThemInBothPrecisions(TrainingOf(gpt, 2), GetParam(), {2, 3});
  }
  ExpectThemInBothPrecisions(TrainingOf(groups_of_four, 2), GetParam(), {3});
}

/// (R, S, T): 2 replicas of 1, 2 or 3 shards, each on 1, 2, 3 or 6 tensor ranks.
TEST(GroupedQueries, HaveTheBitsOfOneTensorRankOnEveryMesh) {
  for (const int shards : {1, 2, 3}) {
    TestRun run = TrainingOf(kGrouped, 2 * shards);
    run.settings.replicas = 2;
    run.settings.stage = shards;
    run.steps = 3;
    ExpectTheBitsOfOneTensorRank(run, {2, 3, 6});
  }
}

/// The control: the sums of a group are others than those of heads with keys and values of their own.
TEST(GroupedQueries, HaveOtherParametersThanHeadsOfTheirOwn) {
  GptSpec own = kGrouped;
  own.kv_heads = own.heads;
  EXPECT_NE(TrainingOf(kGrouped, 1).initial, TrainingOf(own, 1).initial);
}

/// The control: sums over positions are others.
TEST(SequenceParallelSteps, HaveOtherBits) {
  GptSpec gpt = kGpt;
  const auto plain = RunSteps(TrainingOf(gpt, 1));
  gpt.sequence_parallel = true;
  EXPECT_NE(FirstDifference(plain, RunSteps(TrainingOf(gpt, 1))), "");
}

RC_GTEST_PROP(SameBitsOnTensorRanks, InEveryStagePlanMeshOptimizerNormAndDevice, ()) {
  GptSpec gpt = kGpt;
  if (*rc::gen::arbitrary<bool>()) gpt = kGrouped;
  gpt.tied = *rc::gen::arbitrary<bool>();
  gpt.sequence_parallel = *rc::gen::arbitrary<bool>();
  MlpSpec shallow = kMlp;
  shallow.hidden = {2};
  gpt.vocab_parallel = shallow.vocab_parallel = *rc::gen::arbitrary<bool>();
  MlpSpec rounded = kMlp;
  rounded.slice_order.rounding = Rounding::kBf16;
  TestRun run = TrainingOf(*rc::gen::element<ModelSpec>(kMlp, shallow, rounded, gpt), *rc::gen::inRange(1, 3));
  run.settings.precision = *rc::gen::element(Precision::kFp32, Precision::kBf16);
  run.settings.optimizer.kind = *rc::gen::element(OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kLamb);
  run.settings.clip_norm = *rc::gen::element(NormKind::kTwo, NormKind::kOne, NormKind::kInfinity);
  run.settings.micro_batches = *rc::gen::inRange(1, 3);
  run.settings.reduction_order = *rc::gen::element<std::string>("rank", "tree");
  run.settings.parameters[1].buffer = *rc::gen::arbitrary<bool>();
  run.steps = 2;
  run.settings.stage = 0;
  const auto expected = RunSteps(run);

  run.settings.stage = *rc::gen::inRange(0, 4);
  run.settings.replicas = run.world_size == 2 ? *rc::gen::inRange(1, 3) : 1;
  run.settings.plan = *rc::gen::elementOf(PlanNames());
  run.settings.bucket_cap_bytes = *rc::gen::element<int64_t>(0, 1, 100);
  run.settings.overlap = run.device_settings.overlap = *rc::gen::arbitrary<bool>();
  if (run.settings.stage > 0) run.settings.offload = *rc::gen::element(OffloadMode::kNone, OffloadMode::kFull);
  run.device = *rc::gen::element<std::string>("host", "sim");
  const TestRun split = OnTensorRanks(run, *rc::gen::element(2, 3));
  RC_LOG() << Where(split) << "\n";
  RC_ASSERT(FirstDifference(expected, RunSteps(split)) == "");
}

/// What a run has after two steps: its progress, and its states as whole tensors.
struct Saved {
  EngineProgress progress;
  std::map<std::string, Tensors> states;

  void LoadInto(Engine& engine) const {
    engine.Resume(progress);
    for (const auto& [state, tensors] : states) {
      for (int p = 0; p < std::ssize(tensors); ++p) {
        for (const ElementRange& range : engine.Owned(p)) {
          engine.WriteState(state, p, range, tensors[p].data() + range.begin);
        }
      }
    }
    engine.AllGatherResumed();
  }
};

Saved SavedAfterTwoSteps(TestRun run) {
  Saved saved;
  std::mutex mutex;
  run.steps = 3;
  run.before_micro_batches = [&](Engine& engine, int64_t step) {
    const std::lock_guard lock(mutex);
    if (step == 2) saved.progress = engine.Progress();
  };
  const std::vector<Snapshot> snapshots = RunSteps(run);
  for (const std::string state : {"master", "exp_avg", "exp_avg_sq"}) {
    for (const std::vector<uint32_t>& bits : snapshots[1].states.at(state)) {
      std::vector<float>& values = saved.states[state].emplace_back();
      for (const uint32_t value : bits) values.push_back(FromBits(value));
    }
  }
  return saved;
}

/// (replicas, shards, tensor ranks) from (1, 2, 2) to (2, 1, 3), and back to one tensor rank.
void ExpectToGoOnWhereAnotherMeshStood(const GptSpec& gpt) {
  TestRun run = TrainingOf(gpt, 2);
  run.settings.stage = 2;
  run.settings.precision = Precision::kBf16;
  run.steps = 4;
  const auto expected = RunSteps(run);
  const Saved saved = SavedAfterTwoSteps(OnTensorRanks(run, 2));
  run.settings.stage = 3;
  run.settings.replicas = 2;
  run.first_step = run.steps = 2;
  run.resume = [&](Engine& engine) { saved.LoadInto(engine); };
  for (const int tensor : {1, 3}) {
    EXPECT_EQ(FirstDifference({expected[2], expected[3]}, RunSteps(OnTensorRanks(run, tensor))), "") << tensor;
  }
}

TEST(TensorRanks, GoOnWhereAnotherMeshStood) { ExpectToGoOnWhereAnotherMeshStood(kGpt); }

TEST(GroupedQueries, GoOnWhereAnotherMeshStood) { ExpectToGoOnWhereAnotherMeshStood(kGrouped); }

TEST(TensorRanks, HoldTheirPartsAlone) {
  const TestRun run = TrainingOf(MlpSpec{.hidden = {1024}, .slice_order = kTwelve}, 1);
  const auto bytes = [&](int tensor) {
    TestRun split = OnTensorRanks(run, tensor);
    split.settings.stage = 1;
    return EstimateMemory(split.settings, 0, tensor)[MemoryKind::kOptimizer];
  };
  EXPECT_LT(bytes(4), bytes(1) / 3);
}

TEST(TensorRanks, AreRefusedInASentenceWhereTheyMakeNoSense) {
  const auto problem = [](const ModelSpec& model, int tensor, int world_size, int replicas = 1) {
    EngineSettings settings = TrainingOf(model, 1).settings;
    settings.tensor = tensor;
    settings.replicas = replicas;
    return Problem(settings, world_size);
  };
  EXPECT_EQ(problem(kMlp, 2, 4, 2), "");
  EXPECT_EQ(problem(kMlp, 4, 6, 3), "tensor is 4: expected a divisor of the 2 ranks of a replica");
  EXPECT_EQ(problem(kMlp, 0, 6), "tensor is 0: expected a divisor of the 6 ranks of a replica");
  EXPECT_EQ(problem(kMlp, 5, 5), "tensor is 5, and the model adds in slices(12): expected slices that it divides");
  EngineSettings ring = TrainingOf(kMlp, 1).settings;
  ring.tensor = 2;
  ring.reduction_order = "ring";
  EXPECT_EQ(Problem(ring, 2),
            "tensor is 2, and the reduction order is ring, which begins at an element's owner: expected rank or tree, "
            "for what is replicated over tensor ranks has an owner for each");
  EngineSettings given = SettingsFor({4});
  given.tensor = 2;
  EXPECT_EQ(Problem(given, 2),
            "tensor is 2, and gradients are given: expected a model, whose layers tensor ranks split");
}

}  // namespace
}  // namespace zerocts::engine
