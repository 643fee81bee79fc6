#include <gtest/gtest.h>

#include <functional>

#include "conformance/check/cost/memory.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

std::optional<Finding> Memory(const Case& c, const std::vector<RankObservation>& ranks, const ShareLimits& limits) {
  Evidence evidence;
  return CheckMemory(c, ranks, limits, evidence);
}

std::optional<Finding> Estimate(const Case& c, const std::vector<RankObservation>& ranks) {
  Evidence evidence;
  return CheckMemoryEstimate(c, ranks, evidence);
}

/// 3 ranks, AdamW, 2^18 + 1 elements: 87382 elements per rank at most.
Case LargeCase(Precision precision) {
  Case c;
  c.experiment.parameters = {{"w", {(1 << 18) + 1}, 0}};
  c.experiment.optimizer = OptimizerKind::kAdamW;
  c.experiment.precision = precision;
  c.experiment.world_size = 3;
  c.observe_parameters = c.observe_states = false;
  return c;
}

class MemoryTest : public testing::TestWithParam<Precision> {
 protected:
  std::string Sentence(int64_t slack = 0) const {
    const auto finding = Memory(case_, ranks_, {slack});
    return finding ? finding->sentence : "nothing";
  }
  bool Finds(const std::string& part) const { return Sentence().find(part) != std::string::npos; }

  const Case case_ = LargeCase(GetParam());
  std::vector<RankObservation> ranks_ = PerfectObservation(case_);
};

TEST_P(MemoryTest, AShareIsEnough) { EXPECT_EQ(Sentence(), "nothing"); }

TEST_P(MemoryTest, StateThatIsNotSharded) {
  for (RankObservation& rank : ranks_) rank.reported.optimizer_bytes *= 3;
  EXPECT_TRUE(Finds("rank 0 holds")) << Sentence();
  EXPECT_TRUE(
      Finds("1048584 = ceil(262145 / 3) elements x 12 bytes (master and 2 moments, fp32) + 0 bytes of declared slack"))
      << Sentence();
}

TEST_P(MemoryTest, StateThatIsNotShardedAndReportedAsIfItWere) {
  for (RankObservation& rank : ranks_) rank.allocated.optimizer_bytes *= 3;
  EXPECT_TRUE(Finds("as the host counted")) << Sentence();
}

TEST_P(MemoryTest, SlackIsWhatWasDeclared) {
  ranks_[0].reported.optimizer_bytes = ranks_[0].allocated.optimizer_bytes = 1048584 + 512;
  EXPECT_NE(Sentence(511), "nothing");
  EXPECT_EQ(Sentence(512), "nothing");
}

TEST_P(MemoryTest, LessThanTheOwnedStateIsNotBelieved) {
  ranks_[1].reported.optimizer_bytes = ranks_[1].allocated.optimizer_bytes = 87382 * 8 - 8;
  EXPECT_TRUE(Finds("rank 1 reports")) << Sentence();
  ranks_ = PerfectObservation(case_);
  ranks_[1].reported.parameter_bytes /= 2;
  EXPECT_TRUE(Finds("bytes of parameters and optimizer state: expected at least")) << Sentence();
}

TEST_P(MemoryTest, LessThanTheHostHandedOutIsNotBelieved) {
  ranks_[2].reported.buffer_bytes = 100;
  ranks_[2].allocated.buffer_bytes = 101;
  EXPECT_EQ(
      Sentence(),
      "rank 2 reports 100 bytes of buffers: expected at least 101, which the host handed out and did not get back");
}

TEST_P(MemoryTest, HeapThatNobodyReports) {
  for (RankObservation& rank : ranks_) {  // threads of one process
    rank.ranks_in_process = 3;
    rank.process_heap_growth_bytes = 3 * ranks_[0].process_heap_growth_bytes + (100 << 10);
  }
  EXPECT_EQ(Sentence(), "nothing");
  for (RankObservation& rank : ranks_) rank.process_heap_growth_bytes += 87382 * 8;  // one rank's moments
  EXPECT_TRUE(Finds("ranks 0 to 2 report")) << Sentence();
}

TEST_P(MemoryTest, MappedMemoryThatNobodyReports) {
  for (RankObservation& rank : ranks_) {
    rank.ranks_in_process = 3;
    rank.process_heap_growth_bytes *= 3;
    rank.process_growth_bytes = rank.process_heap_growth_bytes + (6 << 20);
  }
  EXPECT_EQ(Sentence(), "nothing");
  for (RankObservation& rank : ranks_) *rank.process_growth_bytes += rank.reported.total();
  EXPECT_TRUE(Finds("together, but the memory of their process grew by")) << Sentence();
}

/// So large that no allowance hides half of the moments.
Case VeryLargeCase() {
  Case c = LargeCase(Precision::kFp32);
  c.experiment.parameters = {{"w", {1 << 22}, 0}};
  c.experiment.world_size = 2;
  return c;
}

/// Ranks of which the kernel counts what they report, and so many bytes more.
std::vector<RankObservation> Grown(const Case& c, uint64_t more) {
  std::vector<RankObservation> ranks = PerfectObservation(c);
  for (RankObservation& rank : ranks) {
    rank.process_heap_growth_bytes = 0;
    rank.process_growth_bytes = rank.reported.total() + more;
  }
  return ranks;
}

TEST(MemoryOfCase, IsSeenByTheKernelWhateverIsReported) {
  const Case c = VeryLargeCase();
  EXPECT_FALSE(Memory(c, Grown(c, 4 << 20), {}));
  const auto finding = Memory(c, Grown(c, (1 << 21) * 8), {});  // the other rank's moments
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->sentence.find("as the kernel counted: expected at most"), std::string::npos) << finding->sentence;
}

TEST(MemoryOfCase, ThreadsBeyondTheEighthMayTouchMore) {
  const auto is_found = [](int world_size, uint64_t more) {
    Case c = LargeCase(Precision::kFp32);
    c.experiment.parameters = {{"w", {1 << 10}, 0}};
    c.experiment.world_size = world_size;
    std::vector<RankObservation> ranks = PerfectObservation(c);
    for (const RankObservation& rank : ranks) more += rank.reported.total();
    for (RankObservation& rank : ranks) {
      rank.ranks_in_process = world_size;
      rank.process_heap_growth_bytes = 0;
      rank.process_growth_bytes = more;
    }
    return Memory(c, ranks, {}).has_value();
  };
  EXPECT_FALSE(is_found(8, 5 << 20));
  EXPECT_TRUE(is_found(8, 7 << 20));
  EXPECT_FALSE(is_found(64, 18 << 20));
  EXPECT_TRUE(is_found(64, 24 << 20));
}

TEST(MemoryOfCase, CountsWhatGoesThroughFilesInAStep) {
  const Case c = VeryLargeCase();
  std::vector<RankObservation> ranks = Grown(c, 4 << 20);
  for (RankObservation& rank : ranks) rank.process_file_bytes = 1 << 20;
  EXPECT_FALSE(Memory(c, ranks, {}));
  ranks[1].process_file_bytes = (1 << 21) * 8;
  const auto finding = Memory(c, ranks, {});
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->sentence.find("rank 1 reports"), std::string::npos) << finding->sentence;
  EXPECT_NE(finding->sentence.find("16777216 went to files or came from them in a step"), std::string::npos)
      << finding->sentence;
}

TEST(MemoryOfCase, ForgivesLittleOfWhatEarlierCasesLeft) {
  const Case c = VeryLargeCase();
  const auto found = [&](uint64_t left) {
    std::vector<RankObservation> ranks = Grown(c, left);
    for (RankObservation& rank : ranks) rank.process_left_bytes = left;
    return Memory(c, ranks, {}).has_value();
  };
  EXPECT_FALSE(found(8 << 20));
  EXPECT_TRUE(found(16 << 20));  // as much as the other rank's moments
}

TEST_P(MemoryTest, HeapThatTheFirstCaseMadeForGood) {
  const auto finds = [&](uint64_t left) {
    std::vector<RankObservation> ranks = ranks_;
    for (RankObservation& rank : ranks) {
      rank.ranks_in_process = 3;
      rank.process_heap_growth_bytes = 3 * rank.process_heap_growth_bytes + left;
      rank.process_heap_left_bytes = left;
    }
    return Memory(case_, ranks, {}).has_value();
  };
  EXPECT_FALSE(finds(1 << 20));
  EXPECT_TRUE(finds(2 << 20));
}

TEST(MemoryOfCase, IsSelfReportedWhereTheKernelDoesNotShowAll) {
  const Case c = VeryLargeCase();
  std::vector<RankObservation> ranks = Grown(c, 0);
  ranks[1].unread = {"/proc/PID/io"};
  Evidence evidence;
  EXPECT_FALSE(CheckMemory(c, ranks, {}, evidence));
  EXPECT_TRUE(evidence.only_self_reported());
  EXPECT_EQ(evidence.unread(), std::set<std::string>{"/proc/PID/io"});
}

TEST(MemoryOfCase, OfADeviceIsSelfReportedWhateverItsProcessKeeps) {
  const Case c = VeryLargeCase();
  std::vector<RankObservation> ranks = PerfectObservation(c);
  for (RankObservation& rank : ranks) rank.process_heap_growth_bytes += uint64_t{100} << 20;  // of a communicator
  EXPECT_TRUE(Memory(c, ranks, {}));
  for (RankObservation& rank : ranks) rank.process_growth_bytes = rank.process_heap_growth_bytes;
  Evidence evidence;
  EXPECT_FALSE(CheckMemory(c, ranks, {.device_memory = true}, evidence));
  EXPECT_EQ(evidence.best(), FigureSource::kSubject);
  ranks[0].reported.optimizer_bytes *= 2;
  EXPECT_TRUE(CheckMemory(c, ranks, {.device_memory = true}, evidence));
}

TEST(MemoryOfCase, IsSelfReportedWhereNobodyWouldSeeWholeMoments) {
  const auto source = [](const Case& c, const std::vector<RankObservation>& ranks) {
    Evidence evidence;
    CheckMemory(c, ranks, {}, evidence);
    return evidence.best();
  };
  const Case large = VeryLargeCase(), small = LargeCase(Precision::kFp32);
  EXPECT_EQ(source(large, Grown(large, 0)), FigureSource::kKernel);
  EXPECT_EQ(source(small, Grown(small, 0)), FigureSource::kSubject);
  EXPECT_EQ(source(small, PerfectObservation(small)), FigureSource::kHost);
  std::vector<RankObservation> ranks = Grown(large, 0);
  ranks[1].process_growth_bytes.reset();
  EXPECT_EQ(source(large, ranks), FigureSource::kSubject) << "nobody looked at rank 1";
}

TEST_P(MemoryTest, ProcessesMayKeepATransport) {
  ranks_[1].process_heap_growth_bytes += 4 << 20;
  EXPECT_EQ(Sentence(), "nothing");
  ranks_[1].process_heap_growth_bytes += 1 << 20;
  EXPECT_TRUE(Finds("rank 1 reports")) << Sentence();
}

INSTANTIATE_TEST_SUITE_P(Precisions, MemoryTest, testing::Values(Precision::kFp32, Precision::kBf16));

TEST(MemoryOfCase, GradientsAreSharedFromStage2OnAndParametersInStage3) {
  for (const int stage : {1, 2, 3}) {
    Case c = LargeCase(Precision::kFp32);
    c.stage = stage;
    const auto finds = [&](uint64_t MemoryReading::*bytes, const char* part) {
      auto ranks = PerfectObservation(c);
      ranks[1].reported.*bytes = ranks[1].allocated.*bytes = 4 * ((1 << 18) + 1);
      const auto finding = Memory(c, ranks, {});
      return finding && finding->sentence.find(part) != std::string::npos;
    };
    EXPECT_FALSE(Memory(c, PerfectObservation(c), {}));
    EXPECT_EQ(finds(&MemoryReading::gradient_bytes, "bytes of gradients"), stage >= 2);
    EXPECT_EQ(finds(&MemoryReading::parameter_bytes, "bytes of parameters (as it reports)"), stage == 3);
  }
}

TEST(MemoryOfCase, InStage3MastersAreEnoughToMakeBf16ParametersOf) {
  Case c = LargeCase(Precision::kBf16);
  c.stage = 3;
  const auto without_parameters = [&](int64_t missing_bytes) {
    std::vector<RankObservation> ranks = PerfectObservation(c);
    ranks[1].reported.parameter_bytes = ranks[1].allocated.parameter_bytes = 0;
    ranks[1].reported.optimizer_bytes -= missing_bytes;
    ranks[1].allocated.optimizer_bytes -= missing_bytes;
    return Memory(c, ranks, {}).has_value();
  };
  EXPECT_FALSE(without_parameters(0));
  EXPECT_TRUE(without_parameters(4));
  c.stage = 2;  // whole bf16 parameters lie there between steps
  EXPECT_TRUE(without_parameters(0));
}

TEST(MemoryOfCase, ASharesDenominatorIsTheShardingGroup) {
  Case c = LargeCase(Precision::kFp32);
  c.experiment.world_size = 6;
  c.replicas = 2;
  c.experiment.parameters.push_back({"mask", {1 << 18}, 0});  // without state
  c.experiment.parameters.push_back({"tied", {(1 << 18) + 1}, 0});
  c.experiment.roles.buffers = {1};
  c.experiment.roles.tied = {{2, 0}};
  std::vector<RankObservation> ranks = PerfectObservation(c);
  EXPECT_FALSE(Memory(c, ranks, {}));
  ranks[4].reported.optimizer_bytes = 1048584 + 4;
  EXPECT_NE(Memory(c, ranks, {})->sentence.find("1048584 = ceil(262145 / 3) elements x 12 bytes"), std::string::npos);
}

/// Two of 6 ranks have expert 1, and none has anything of the other experts.
TEST(MemoryOfCase, AShareOfAnExpertIsThatOfItsRanks) {
  Case c = LargeCase(Precision::kFp32);
  c.experiment.world_size = 6;
  c.experiment.parameters.push_back({"of expert 1", {1001}, 0});
  c.experiment.experts = {3, {{1, 1}}};
  std::vector<RankObservation> ranks = PerfectObservation(c);
  EXPECT_FALSE(Memory(c, ranks, {}));
  const auto with_bytes = [&](int rank, uint64_t bytes) {
    std::vector<RankObservation> others = ranks;
    others[static_cast<size_t>(rank)].reported.optimizer_bytes = bytes;
    const auto finding = Memory(c, others, {});
    return finding ? finding->sentence : "nothing";
  };
  const uint64_t dense = 43691 * 12, of_expert = 501 * 12;
  EXPECT_EQ(with_bytes(4, dense + of_expert), "nothing");
  EXPECT_NE(with_bytes(4, dense + of_expert + 4)
                .find("(ceil(262145 / 6) + ceil(1001 / 2) of its expert's ranks) elements x 12 bytes"),
            std::string::npos);
  EXPECT_NE(with_bytes(3, dense + 4).find("(ceil(262145 / 6) + ceil(0 / 2) of its expert's ranks) elements"),
            std::string::npos);
}

TEST(MemoryOfCase, RowsAndTensorsThatAreNotCutRoundTheShareUp) {
  Case c = LargeCase(Precision::kFp32);
  c.experiment.world_size = 2;
  c.experiment.parameters = {{"a", {3, 1000}, 0}, {"b", {5}, 0}};
  std::vector<RankObservation> ranks = PerfectObservation(c);
  const uint64_t element_bytes = ranks[0].reported.optimizer_bytes / 1503;
  const auto most = [&](Granularity granularity) {
    uint64_t numel = 1500;
    for (; numel < 10000; ++numel) {
      ranks[0].reported.optimizer_bytes = ranks[0].allocated.optimizer_bytes = (numel + 1) * element_bytes;
      if (Memory(c, ranks, {0, granularity})) return numel;
    }
    return numel;
  };
  EXPECT_EQ(most(Granularity::kElement), 1503u);
  EXPECT_EQ(most(Granularity::kRow), 2003u);             // two rows of three, three of five
  EXPECT_EQ(most(Granularity::kTensor), 1503u + 3000u);  // what is fair, and the tensor that came last
}

TEST(MemoryOfCase, InStageZeroEveryRankHoldsAll) {
  Case c = LargeCase(Precision::kFp32);
  c.stage = 0;
  EXPECT_FALSE(Memory(c, PerfectObservation(c), {}));
}

TEST_P(MemoryTest, IsAsEstimated) {
  const auto sentence = [&](const std::function<void(RankObservation&)>& change, Offload offload = Offload::kNone) {
    Case c = case_;
    c.offload = offload;
    std::vector<RankObservation> ranks = PerfectObservation(c);
    change(ranks[2]);
    const auto finding = Estimate(c, ranks);
    return finding ? finding->sentence : "nothing";
  };
  EXPECT_EQ(sentence([](RankObservation&) {}), "nothing");
  EXPECT_EQ(sentence([](RankObservation&) {}, Offload::kFull), "nothing");
  EXPECT_EQ(sentence([](RankObservation& rank) { rank.memory_plan.reset(); }),
            "rank 2 gave no estimate, although it declares them");
  EXPECT_EQ(sentence([](RankObservation& rank) { rank.memory_plan->estimated.buffer_bytes = 4; }),
            "rank 2 holds 0 bytes of buffers: expected 4, as it estimated");
  EXPECT_EQ(sentence([](RankObservation& rank) { rank.memory_plan->estimated_peak_bytes = 3; }).find("rank 2 held"),
            0u);
  EXPECT_NE(sentence([](RankObservation& rank) { ++rank.allocated_peak_bytes; }).find("handed out by the host at once"),
            std::string::npos);
  EXPECT_EQ(sentence([](RankObservation& rank) { rank.memory_plan->offloaded_bytes = 4; }),
            "rank 2 keeps 4 bytes on the host: expected 0 to 0 with offload none");
  const auto little = [](RankObservation& rank) { rank.memory_plan->offloaded_bytes = 87381 * 8; };
  EXPECT_NE(sentence(little, Offload::kParams).find("with offload params"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
