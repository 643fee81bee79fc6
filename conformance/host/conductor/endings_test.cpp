// Every ending of a case under every launcher is what it is said to be, and nothing is left behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "conformance/host/conductor/endings_for_test.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

using namespace std::chrono_literals;

INSTANTIATE_TEST_SUITE_P(, Endings,
                         testing::Values(LauncherKind::kLocal, LauncherKind::kThreads, LauncherKind::kMpirun),
                         [](const auto& info) { return ToString(info.param); });

TEST_P(Endings, Observed) {
  const RunResult result = Run(Faulty(""));
  Expect(result, {Ending::kObserved, "", false});
  ASSERT_EQ(result.ranks.size(), 3u);
  for (int rank = 0; rank < kWorldSize; ++rank) {
    const RankObservation& o = result.ranks[rank];
    EXPECT_EQ(o.rank, rank);
    EXPECT_EQ(o.ranks_in_process, threads() ? kWorldSize : 1);
    EXPECT_EQ(o.owned, (std::vector<std::vector<Interval>>{{{0, 15}}, {{0, 3}}, {}}));
    EXPECT_EQ(o.scalars.size(), 2u);
    EXPECT_EQ(o.tensors.size(), 3u * (3 + 3 + 2));  // after load and two steps: parameters, again, masters
  }
  for (int again = 0; again < 20; ++again) EXPECT_EQ(group_->Run(TinyCase()).ending, Ending::kObserved);
}

TEST_P(Endings, Unsupported) {
  Case c = TinyCase();
  c.stage = 3;
  Expect(Run(Faulty(""), c), {Ending::kUnsupported, "stage 3 (declared: 0, 1)", false});
  EXPECT_EQ(group_->Run(TinyCase()).ending, Ending::kObserved);
}

TEST_P(Endings, Refused) {
  SubjectSpec subject = Faulty("");
  subject.options = {{"colour", "red"}};
  Expect(Run(subject), {Ending::kRefused, "refused open: INVALID_ARGUMENT: unknown option", false});
  EXPECT_EQ(group_->Run(TinyCase()).ending, Ending::kRefused);
}

TEST_P(Endings, RefusedByOneRank) {
  Expect(Run(Faulty("refuse")),
         {Ending::kDisagreement,
          "the ranks ended differently: rank 1 refused step (step 0): INTERNAL: asked to refuse, rank 0"});
}

TEST_P(Endings, RankThatDoesNotComeIsNamed) {
  Case c = TinyCase();
  c.experiment.steps = 1;
  Expect(Run(Faulty("absent"), c),
         {Ending::kDisagreement, "rank 0 refused step (step 0): DEADLINE_EXCEEDED: barrier: rank 1 will not come"});
}

TEST_P(Endings, Crash) {
  Expect(Run(Faulty("crash")),
         {Ending::kCrash, "rank 1 was killed by signal 11 (SIGSEGV), it stood at step 0, in step: misbehave, crash"});
}

TEST_P(Endings, ExitWithCode) { Expect(Run(Faulty("fail")), {Ending::kCrash, "rank 1 exited with 7"}); }

TEST_P(Endings, EarlyExit) { Expect(Run(Faulty("exit")), {Ending::kEarlyExit, "rank 1 exited with 0"}); }

/// The C library's own call of exit, which no program can take the place of.
TEST_P(Endings, ExitOfTheCLibraryItself) { Expect(Run(Faulty("errx")), {Ending::kEarlyExit, "rank 1 exited with 0"}); }

TEST_P(Endings, ExitOfAThreadDestroysNothingOfTheOthers) {
  const RunResult result = Run(Faulty("exit_and_crash"));
  if (threads()) Expect(result, {Ending::kEarlyExit, "rank 1 exited with 0"});
  if (!threads()) Expect(result, {Ending::kCrash, "rank 1 was killed by signal 11 (SIGSEGV)"});
}

TEST_P(Endings, Hang) {
  const RunResult result = Run(Faulty("hang"));
  Expect(result, {Ending::kHang, "rank 1: pid"});
  EXPECT_NE(result.message.find("stands at step 0, in step: misbehave, hang"), std::string::npos) << result.message;
  EXPECT_NE(result.reports[0].state.find("did not come"), std::string::npos) << result.reports[0].state;
}

TEST_P(Endings, StoppedRank) {
  const RunResult result = Run(Faulty("stop"));
  Expect(result, {Ending::kHang, "stopped by a signal, stands at step "});  // with threads all stop, wherever they are
  EXPECT_TRUE(threads() || result.message.find("in step: misbehave, stop") != std::string::npos) << result.message;
}

TEST_P(Endings, KilledFromOutside) {
  const RunResult result = RunWith([](const std::vector<int>& pids) { kill(pids[2], SIGKILL); });
  Expect(result, {Ending::kCrash, "was killed by signal 9 (SIGKILL)"});
  EXPECT_TRUE(threads() || result.message.starts_with("rank 2 ")) << result.message;
}

TEST_P(Endings, StoppedFromOutside) {
  const RunResult result = RunWith([](const std::vector<int>& pids) { kill(pids[1], SIGSTOP); });
  Expect(result, {Ending::kHang, "stopped by a signal"});
}

TEST_P(Endings, DeathBetweenTwoCases) {
  Expect(Run(Faulty("")), {Ending::kObserved, "", false});
  kill(group_->rank_pids()[2], SIGKILL);
  std::this_thread::sleep_for(300ms);
  Expect(group_->Run(TinyCase()), {Ending::kCrash, "was killed by signal 9 (SIGKILL)"});
}

TEST_P(Endings, NoOrphanEscapes) {
  const RunResult result = Run(Faulty("orphan"));
  Expect(result, {Ending::kObserved, "", false});
}

TEST_P(Endings, OutputOfTheCaseIsInItsReport) {
  const int rank = threads() ? 0 : 1;  // threads share one output
  Expect(Run(Faulty("noise")), {Ending::kObserved, "", false});
  const RunResult second = group_->Run(TinyCase());
  Expect(second, {Ending::kCrash, "was killed by signal 11 (SIGSEGV)"});
  EXPECT_EQ(second.reports[rank].output, "line 2 of the faulty rank");
}

TEST_P(Endings, ChangedArithmeticIsABreach) {
  Expect(Run(Faulty("mxcsr")), {Ending::kBreach,
                                "rank 1 changed MXCSR: flush-to-zero on, denormals-are-zero on (0x1f80 -> 0x9fc0), "
                                "at step 0, in step"});
}

TEST_P(Endings, Breach) {
  Expect(Run(Faulty("leak")),
         {Ending::kBreach,
          "rank 1 left 1 block of alloc, 100 bytes, the first being block 3 of alloc (100 bytes of buffer "
          "memory), at step 1, in close"});
  Expect(Run(Oversteps("block_past")),
         {Ending::kBreach,
          "rank 1 wrote 1 byte past the end of block 2 of alloc (12 bytes of optimizer memory), "
          "at step 0, in step"});
}

TEST_P(Endings, AWriteToWhatIsConstIsNamed) {
  Expect(Run(Oversteps("gradient")), {Ending::kCrash,
                                      "rank 1 was killed by signal 11 (SIGSEGV), it stood at step 0, micro-batch 0, in "
                                      "accumulate; it wrote to the gradient of parameter 1, which it is given const"});
}

TEST_P(Endings, AFreeOfAnotherRanksBlock) {
  if (!threads()) GTEST_SKIP() << "other ranks' blocks are in other processes";
  SubjectSpec subject = Oversteps("free_of_another_rank");
  subject.options[1].second = "2";
  Expect(Run(subject), {Ending::kBreach,
                        "rank 2 freed block 2 of alloc (12 bytes of optimizer memory) of rank 1, at step 0, in step"});
}

TEST_P(Endings, LargeTensorsAreFetched) {
  Case c = TinyCase();
  c.experiment.parameters = {{"large", {300, 1000}, 0}, {"small", {3}, 0}};
  const RunResult result = Run(Faulty(""), c);
  ASSERT_EQ(result.ending, Ending::kObserved) << result.message;
  for (const RankObservation& o : result.ranks) {
    for (const TensorRecord& record : o.tensors) {
      EXPECT_EQ(record.values, InitialValuesOf(c.experiment, record.parameter));
    }
  }
}

}  // namespace
}  // namespace zerocts
