// Cases that report their steps: who watches is told of each by all ranks, and says how it goes on. Part of the endings
// test, whose main is also the worker.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

using namespace std::chrono_literals;

constexpr int64_t kSteps = 5;

Case Reporting() {
  Case c = TinyCase();
  c.experiment.steps = kSteps;
  c.report_steps = c.observe_last_step_only = true;
  return c;
}

struct Watched {
  RunResult result;
  std::vector<std::vector<SteppedMessage>> steps;  // as the watcher was told
};

/// Stops after this step.
Watched Watch(LauncherKind launcher, const SubjectSpec& subject, int64_t stop_after = kSteps,
              std::chrono::milliseconds each_takes = 0ms) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  settings.case_deadline = 2s;
  Watched watched;
  RankGroup group(subject, launcher, kWorldSize, settings);
  watched.result = group.Run(Reporting(), "", [&](const std::vector<SteppedMessage>& of_ranks) {
    watched.steps.push_back(of_ranks);
    std::this_thread::sleep_for(each_takes);
    return of_ranks.front().step < stop_after;
  });
  return watched;
}

class ReportedSteps : public testing::TestWithParam<LauncherKind> {};

TEST_P(ReportedSteps, AreToldByAllRanksOneAfterTheOther) {
  const Watched watched = Watch(GetParam(), Faulty(""));
  ASSERT_EQ(ToString(watched.result.ending), ToString(Ending::kObserved)) << watched.result.message;
  ASSERT_EQ(watched.steps.size(), kSteps);
  for (size_t step = 0; step < watched.steps.size(); ++step) {
    ASSERT_EQ(watched.steps[step].size(), kWorldSize);
    for (const SteppedMessage& of_rank : watched.steps[step]) EXPECT_EQ(of_rank.step, static_cast<int64_t>(step));
  }
}

TEST_P(ReportedSteps, EndWhereTheWatcherSaysSo) {
  const Watched watched = Watch(GetParam(), Faulty(""), 2);
  ASSERT_EQ(ToString(watched.result.ending), ToString(Ending::kObserved)) << watched.result.message;
  EXPECT_EQ(watched.steps.size(), 3u);
  for (const RankObservation& rank : watched.result.ranks) {
    EXPECT_EQ(rank.scalars.size(), 3u);
    ASSERT_FALSE(rank.tensors.empty());
    for (const TensorRecord& record : rank.tensors) {
      EXPECT_EQ(record.step, 2);
      const std::string& told =
          watched.steps[2][static_cast<size_t>(rank.rank)].parameters[static_cast<size_t>(record.parameter)];
      EXPECT_EQ(HashOf(record.values), told);
    }
  }
}

TEST_P(ReportedSteps, HaveTheDeadlineOfACaseEach) {
  const Watched watched = Watch(GetParam(), Faulty(""), kSteps, 500ms);
  EXPECT_EQ(ToString(watched.result.ending), ToString(Ending::kObserved)) << watched.result.message;
}

TEST_P(ReportedSteps, GoOnWhereNobodyWatches) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  const RunResult result = RankGroup(Faulty(""), GetParam(), kWorldSize, settings).Run(Reporting());
  ASSERT_EQ(ToString(result.ending), ToString(Ending::kObserved)) << result.message;
  EXPECT_EQ(result.ranks.front().scalars.size(), kSteps);
}

TEST_P(ReportedSteps, BeginAnewInTheNextRun) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  RankGroup group(Faulty(""), GetParam(), kWorldSize, settings);
  for (const int64_t stop_after : {int64_t{1}, kSteps}) {
    int64_t steps = 0;
    const RunResult result = group.Run(Reporting(), "", [&](const std::vector<SteppedMessage>& of_ranks) {
      EXPECT_EQ(of_ranks.front().step, steps++);
      return of_ranks.front().step < stop_after;
    });
    ASSERT_EQ(ToString(result.ending), ToString(Ending::kObserved)) << result.message;
    EXPECT_EQ(steps, std::min(stop_after + 1, kSteps));
    EXPECT_EQ(group.Run(TinyCase()).message, "");
  }
}

TEST_P(ReportedSteps, OfARankThatDiesAreTheLast) {
  for (const std::string fault : {"crash", "hang", "fail"}) {
    SubjectSpec subject = Faulty(fault);
    subject.options.emplace_back("step", "2");
    const Watched watched = Watch(GetParam(), subject);
    EXPECT_NE(ToString(watched.result.ending), ToString(Ending::kObserved)) << fault;
    EXPECT_NE(watched.result.message.find("step 2"), std::string::npos) << fault << ": " << watched.result.message;
    EXPECT_EQ(watched.steps.size(), 2u) << fault;
  }
}

INSTANTIATE_TEST_SUITE_P(Launchers, ReportedSteps, testing::Values(LauncherKind::kLocal, LauncherKind::kThreads),
                         [](const auto& info) { return ToString(info.param); });

TEST(ReportedStep, ThatIsNotTheNextIsGarbage) {
  const Watched watched = Watch(LauncherKind::kLocal, FakeRank("step_ahead"));
  EXPECT_EQ(ToString(watched.result.ending), ToString(Ending::kGarbage));
  EXPECT_NE(watched.result.message.find("stepped: expected step 0 once, got step 1"), std::string::npos)
      << watched.result.message;
}

}  // namespace
}  // namespace zerocts
