#include <gtest/gtest.h>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/reshard.hpp"

namespace zerocts {
namespace {

Case SomeCase() {
  Case c;
  c.experiment.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
  c.experiment.world_size = 6;
  c.experiment.steps = 2;
  return c;
}

TEST(CaseProblem, OffloadsWhereRanksHaveShards) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  c.offload = Offload::kFull;
  for (c.stage = 1; c.stage <= 3; ++c.stage) EXPECT_EQ(Problem(c), "");
  c.stage = 0;
  EXPECT_NE(Problem(c).find("case.offload: expected none in stage 0"), std::string::npos) << Problem(c);
}

TEST(CaseProblem, AnEstimateOfMemoryIsHeldAgainstMemory) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  c.observe_memory = c.observe_memory_estimate = true;
  EXPECT_EQ(Problem(c), "");
  c.observe_memory = false;
  EXPECT_NE(Problem(c).find("case.observe_memory_estimate: expected false where observe_memory is false, got \"true\""),
            std::string::npos)
      << Problem(c);
}

TEST(CaseProblem, ReplicasDivideTheRanksOfAShardedStage) {
  Case c = SomeCase();
  for (const int replicas : {1, 2, 3, 6}) {
    c.replicas = replicas;
    EXPECT_EQ(Problem(c), "");
  }
  c.replicas = 4;
  EXPECT_EQ(Problem(c), "case.replicas: expected a divisor of the world size 6, got 4");
  c.replicas = 0;
  EXPECT_EQ(Problem(c), "case.replicas: expected a divisor of the world size 6, got 0");
  c.replicas = 2;
  c.stage = 0;
  EXPECT_EQ(Problem(c), "case.replicas: expected 1 in stage 0, which has no sharding groups, got 2");
}

Case SplitCase() {
  Case c;
  Experiment& e = c.experiment;
  e.gradients = GradientSource::kModel;
  e.initial = InitialValues::kModel;
  e.model = MlpSpec{.vocab = 5, .context = 2, .embedding = 2, .hidden = {3}, .slice_order = {.slices = 6}};
  e.parameters = ModelParameters(*e.model);
  e.groups.resize(2);
  e.batch = 1;
  e.text = "somewhere";
  e.text_hash = std::string(32, '0');
  c.reduction_order = "rank";
  c.tensor = 2;
  return c;
}

TEST(CaseProblem, ExpertsDivideTheRanksOfAReplica) {
  Case c{.experiment = {.parameters = {{"a", {2}, 0}}}};
  c.experiment.world_size = 4;
  c.experiment.experts = {2, {{0, 1}}};
  EXPECT_EQ(Problem(c), "");
  Case other = c;
  other.replicas = 2;
  EXPECT_EQ(Problem(other), "");
  other.replicas = 4;
  EXPECT_EQ(Problem(other), "case.experiment.experts.count: expected a divisor of the 1 ranks of a replica, got 2");
  other = c;
  other.plan = "file:plan.json";
  EXPECT_EQ(Problem(other),
            "case.experiment.experts.count: expected 1 beside tensor ranks, and where a file is the plan, got 2");
}

TEST(CaseProblem, OtherTensorRanksLoadForTheSameData) {
  Case c = SplitCase();
  const int data_ranks = c.data_ranks();
  c.checkpoint = Checkpoint{.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}};
  c.checkpoint->other_world_size = data_ranks * 3;
  EXPECT_EQ(Problem(c), "case.checkpoint.other_tensor: expected 1 or more where layers are split, got 0");
  c.checkpoint->other_tensor = 1;
  EXPECT_NE(Problem(c).find("which are together other_world_size"), std::string::npos) << Problem(c);
  c.checkpoint->other_tensor = 3;
  EXPECT_EQ(Problem(c), "");

  const Case loading = LoadingRun(c);
  EXPECT_EQ(loading.tensor, 3);
  EXPECT_EQ(loading.world_size(), data_ranks * 3);
  EXPECT_EQ(RunOfSavers(loading).tensor, 2);
  EXPECT_EQ(RunOfSavers(loading).world_size(), c.world_size());
  c.checkpoint->other_tensor = 5;
  c.checkpoint->other_world_size = data_ranks * 5;
  EXPECT_EQ(Problem(c), "the run that loads: case.tensor: expected a divisor of the slices in slices(6), got 5");
}

TEST(CaseProblem, TensorRanksSplitSlicesOfAModel) {
  EXPECT_EQ(Problem(SplitCase()), "");
  const auto problem_with = [](auto change) {
    Case changed = SplitCase();
    change(changed);
    return Problem(changed);
  };
  EXPECT_EQ(problem_with([](Case& c) { c.tensor = 0; }), "case.tensor: expected 1 to 1024, got 0");
  EXPECT_EQ(problem_with([](Case& c) { c.tensor = 4; }),
            "case.tensor: expected a divisor of the slices in slices(6), got 4");
  EXPECT_EQ(problem_with([](Case& c) { c.reduction_order = "ring"; }),
            "case.tensor: expected 1 in the order ring, whose first owner of what is replicated differs between tensor "
            "ranks, got 2");
  const auto ceil_parts = [](Case& c) { c.tensor_parts = PartSizes::kCeil; };
  EXPECT_EQ(problem_with(ceil_parts),
            "case.tensor_parts: expected even but where layers are split and judged by a bound, for slices are even, "
            "got \"ceil\"");
  EXPECT_EQ(problem_with([&](Case& c) {
              ceil_parts(c);
              c.fidelity = Fidelity::kBounded;
            }),
            "");
  EXPECT_EQ(problem_with([](Case& c) { c.checkpoint = Checkpoint{.after_step = 0}; }), "");
  Case given = SomeCase();
  given.tensor = 2;
  EXPECT_EQ(Problem(given), "case.tensor: expected 1 where gradients are given, for there is no layer to split, got 2");
  given.undeclared = true;
  EXPECT_EQ(Problem(given), "");
}

TEST(CaseProblem, ExtraCallsAreBetweenTheOthersInTheirOrder) {
  using enum ExtraCallKind;
  Case c = SomeCase();
  c.experiment.steps = 3;
  c.experiment.micro_batches = 2;
  const auto problem_with = [&](std::vector<ExtraCall> calls) {
    c.extra_calls = std::move(calls);
    return Problem(c);
  };
  EXPECT_EQ(problem_with({{0, 0, kRead}, {1, 2, kResume}, {2, 1, kWrongMicroBatch}, {2, 1, kEarlyStep}}), "");
  EXPECT_EQ(
      problem_with({{3, 0, kRead}}),
      "case.extra_calls: expected calls in a step below 3 after 0 to 2 micro-batches, got \"read in step 3 after 0 "
      "of its micro-batches\"");
  EXPECT_NE(problem_with({{0, 3, kRead}}), "");
  EXPECT_NE(problem_with({{-1, 0, kRead}}), "");
  EXPECT_NE(problem_with({{1, 2, kRead}, {1, 1, kRead}}).find("expected calls in the order in which they are made"),
            std::string::npos);
  EXPECT_NE(problem_with({{0, 1, kResume}}).find("expected a step behind the first"), std::string::npos);
  EXPECT_EQ(problem_with({{0, 0, kSave}, {0, 1, kSave}}), "");
  EXPECT_EQ(problem_with({{1, 0, kSave}, {1, 0, kReturn}}), "");
  EXPECT_NE(problem_with({{0, 0, kSave}, {1, 0, kReturn}, {2, 0, kSave}}).find("expected a save after a step"),
            std::string::npos);
  EXPECT_NE(problem_with({{1, 0, kRepeatedMicroBatch}}).find("before one that is repeated"), std::string::npos);
  EXPECT_NE(problem_with({{1, 2, kEarlyStep}}).find("before the last micro-batch"), std::string::npos);
  c.checkpoint = Checkpoint{};
  EXPECT_NE(problem_with({{1, 1, kRead}}).find("expected none beside a checkpoint"), std::string::npos);
}

TEST(CaseProblem, TensorRanksAreRanksOfTheirOwn) {
  Case c = SplitCase();
  c.experiment.world_size = 6;
  c.replicas = 3;
  EXPECT_EQ(Problem(c), "");
  EXPECT_EQ(c.world_size(), 12);
  EXPECT_EQ(c.shards(), 2);
  EXPECT_EQ(c.data_rank_of(5), 2);
  EXPECT_EQ(c.tensor_rank_of(5), 1);
  c.replicas = 4;
  EXPECT_EQ(Problem(c), "case.replicas: expected a divisor of the world size 6, got 4");
}

TEST(CaseProblem, NothingButTheOrderMayShowInWhatIsProbed) {
  Case c = SomeCase();
  Experiment& e = c.experiment;
  const auto problem_with = [&](auto change) {
    Case changed = c;
    change(changed.experiment);
    return Problem(changed);
  };
  c.reduction_order = "probed";
  e.gradients = GradientSource::kUniform;
  e.micro_batches = 4;
  EXPECT_EQ(Problem(c), "");
  EXPECT_EQ(problem_with([](Experiment& x) { x.micro_batches = 3; }),
            "case.reduction_order: expected rank, ring or tree because 1 / 3, by which a rank may multiply first, is "
            "rounded, got "
            "\"probed\"");
  EXPECT_NE(problem_with([](Experiment& x) { x.accumulation = Precision::kBf16; }).find("sums are kept in bf16"),
            std::string::npos);
  e.parameters = {{"a", {2}, 0}, {"b", {2}, 0}, {"c", {2}, 0}};
  e.roles = {.tied = {{1, 0}}};
  EXPECT_EQ(Problem(c), "");
  e.roles.tied.push_back({2, 0});
  EXPECT_NE(Problem(c).find("3 names of a are added in an order of their own"), std::string::npos) << Problem(c);
  e.gradients = GradientSource::kIndexCoded;
  e.micro_batches = 3;
  EXPECT_EQ(Problem(c), "");
}

TEST(CaseProblem, ZerosCannotSayThatNobodyHasAGradient) {
  Case c = SomeCase();
  c.missing_as_null = false;
  c.experiment.roles.missing = {{1, 1, 0}};
  c.experiment.roles.frozen = {{0, 0, 1}};
  EXPECT_EQ(Problem(c), "");
  c.experiment.roles.without_gradient = {{1, 1, 2}};
  EXPECT_EQ(Problem(c),
            "case.missing_as_null: expected true because in step 1 no micro-batch has a gradient for b, which zeros do "
            "not say, got false");
  c.missing_as_null = true;
  EXPECT_EQ(Problem(c), "");
}

TEST(CaseProblem, OfTheExperimentComesFirst) {
  Case c = SomeCase();
  c.replicas = 4;
  c.experiment.steps = 0;
  EXPECT_EQ(Problem(c), "experiment.steps: expected 1 or more, got 0");
}

}  // namespace
}  // namespace zerocts
