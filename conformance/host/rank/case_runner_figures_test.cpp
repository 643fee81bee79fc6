// What a rank counts while a subject runs a case.
#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "conformance/host/rank/case_runner_for_test.hpp"

namespace zerocts {
namespace {

TEST_F(CaseRunnerTest, CountsWhatStepsMoveAndNotWhatReadsDo) {
  Case c = CaseOfEverything();
  c.observe_parameters = c.read_before_step = c.observe_traffic = true;
  const RankObservation o = Observed(c);
  ASSERT_EQ(o.traffic.size(), 3u);
  for (int64_t step = 0; step < 3; ++step) {
    EXPECT_EQ(o.traffic[step], (StepTraffic{step, {2, 20, 40}, {1, 100, 200}, {}, {}})) << step;
  }
  EXPECT_TRUE(Observed(CaseOfEverything()).traffic.empty());
}

TEST_F(CaseRunnerTest, ProfilesTheCallsOfEachStepAndTheMemoryOfTheRun) {
  Case c = CaseOfEverything();
  c.observe_profile = true;
  const RankObservation o = Observed(c);
  std::vector<std::string> calls;
  for (const CallTime& call : o.calls) {
    calls.push_back(fmt::format("{} {} {}", call.step, call.call, call.micro_batch));
    EXPECT_LE(call.begin_ns, call.end_ns);
    EXPECT_GE(call.cpu_ns, 0);
  }
  std::vector<std::string> expected;
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    for (int k = 0; k < c.experiment.micro_batches; ++k) expected.push_back(fmt::format("{} accumulate {}", step, k));
    expected.push_back(fmt::format("{} step -1", step));
  }
  EXPECT_EQ(calls, expected);
  const char* names[] = {"open", "before_step", "after_step", "middle", "end"};
  ASSERT_EQ(o.memory_points.size(), std::size(names));
  for (size_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(o.memory_points[i].point, names[i]);
    EXPECT_GT(o.memory_points[i].held_bytes, 0u);
    EXPECT_GE(o.memory_points[i].peak_bytes, o.memory_points[i].held_bytes / 2);
    EXPECT_GT(o.memory_points[i].heap_bytes.value_or(ZEROCTS_SANITIZED ? 1 : 0), 0u);
  }
  const RankObservation usual = Observed(CaseOfEverything());
  EXPECT_TRUE(usual.calls.empty() && usual.memory_points.empty());
}

TEST_F(CaseRunnerTest, CountsWhatEachCallLeaves) {
  Case c = CaseOfEverything();
  c.observe_resources = true;
  const RankObservation o = Observed(c);
  ASSERT_EQ(std::ssize(o.resources), c.experiment.steps * (c.experiment.micro_batches + 1));
  EXPECT_EQ(o.resources.front().call, "accumulate");
  EXPECT_EQ(o.resources.back().call, "step");
  EXPECT_EQ(o.resources.back().step, c.experiment.steps - 1);
  for (const Resources& row : o.resources) {
    EXPECT_GE(row.cpu_ns, 0);
    EXPECT_GE(row.blocks, 0);
    EXPECT_GT(row.files, 2);
    EXPECT_GT(row.threads, 0);
    EXPECT_EQ(row.objects, Resources::kNotRead);
    if (!ZEROCTS_SANITIZED) {
      EXPECT_GT(row.mapped_bytes, row.heap_bytes);
    }
  }
  EXPECT_TRUE(o.grown.empty()) << "so few steps have no steady one";
  EXPECT_TRUE(Observed(CaseOfEverything()).resources.empty());
}

TEST_F(CaseRunnerTest, TakesEverySpanOfATimeline) {
  Case c = CaseOfEverything();
  c.observe_timeline = true;
  const RankObservation o = Observed(c);
  ASSERT_EQ(o.timeline.size(), 302u);
  EXPECT_EQ(o.timeline[0], (TimelineSpan{0, "backward", 0, 0, 1}));
  EXPECT_EQ(o.timeline[299], (TimelineSpan{0, "backward", 299, 299, 300}));
  EXPECT_EQ(o.timeline[301], (TimelineSpan{2, "step", 0, 301, 302}));
}

TEST_F(CaseRunnerTest, TakesTheMemoryPlan) {
  Case c = CaseOfEverything();
  EXPECT_FALSE(Observed(c).memory_plan);
  c.observe_memory = true;
  const RankObservation o = Observed(c);
  EXPECT_EQ(o.reported, (MemoryReading{1, 2, 3, 4}));
  ASSERT_TRUE(o.memory_plan);
  EXPECT_EQ(*o.memory_plan, (MemoryPlan{{5, 6, 7, 8}, 9, 10, 11}));
}

}  // namespace
}  // namespace zerocts
