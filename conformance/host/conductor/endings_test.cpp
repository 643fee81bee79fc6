// Every ending of a case under every launcher is what it is said to be, and nothing is left behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "conformance/cases/case.hpp"
#include "conformance/cases/input_hash.hpp"
#include "conformance/cases/observation.hpp"
#include "conformance/host/conductor/child_process.hpp"
#include "conformance/host/conductor/group_pool.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/launcher.hpp"
#include "conformance/host/conductor/launcher_kind.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/conductor/subject_spec.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/own_program.hpp"
#include "conformance/host/wire/rank_output.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool MpirunIsThere() { return std::system("command -v mpirun >/dev/null 2>&1") == 0; }

struct Expectation {
  Ending ending;
  std::string in_message;  // a part of it
  bool spent = true;
};

class Endings : public testing::TestWithParam<LauncherKind> {
 protected:
  void SetUp() override {
    if (GetParam() == LauncherKind::kMpirun && !MpirunIsThere()) GTEST_SKIP() << "needs mpirun";
    folder_ = std::make_unique<SessionFolder>();
    settings_.session_dir = folder_->path();
    settings_.case_deadline = 4s;
  }

  void TearDown() override {
    if (!folder_) return;
    group_.reset();
    EXPECT_EQ(ProcessesOf(folder_->path()), std::vector<pid_t>());
    const std::string path = folder_->path();
    folder_.reset();
    EXPECT_FALSE(fs::exists(path));
  }

  bool threads() const { return GetParam() == LauncherKind::kThreads; }

  RunResult Run(const SubjectSpec& subject, const Case& c = TinyCase()) {
    group_ = std::make_unique<RankGroup>(subject, GetParam(), kWorldSize, settings_);
    return group_->Run(c);
  }

  void Expect(const RunResult& result, const Expectation& expected) {
    EXPECT_EQ(ToString(result.ending), ToString(expected.ending)) << result.message;
    EXPECT_NE(result.message.find(expected.in_message), std::string::npos) << result.message;
    EXPECT_EQ(group_->spent(), expected.spent);
    EXPECT_EQ(result.reports.size(), static_cast<size_t>(kWorldSize));
    if (expected.spent) {  // at once, not only when the group goes
      EXPECT_EQ(ProcessesOf(folder_->path()), std::vector<pid_t>());
    }
  }

  /// Runs the case while `fault` makes rank 1 hang, and lets `outside` act once the ranks are at work.
  template <typename Outside>
  RunResult RunWith(Outside outside) {
    group_ = std::make_unique<RankGroup>(Faulty("hang"), GetParam(), kWorldSize, settings_);
    const std::vector<int> pids = group_->rank_pids();
    std::thread actor([&] {
      std::this_thread::sleep_for(500ms);
      outside(pids);
    });
    RunResult result = group_->Run(TinyCase());
    actor.join();
    return result;
  }

  std::unique_ptr<SessionFolder> folder_;
  HostSettings settings_;
  std::unique_ptr<RankGroup> group_;
};

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
  EXPECT_TRUE(threads() || result.message.ends_with("in step: misbehave, stop")) << result.message;
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

TEST_P(Endings, HeapGrowthIsSeenFromOutside) {
  Case c = TinyCase();
  c.observe_memory = true;
  c.experiment.parameters = {{"large", {300, 1000}, 0}};
  const RunResult result = Run(Faulty("grow"), c);
  ASSERT_EQ(result.ending, Ending::kObserved) << result.message;
  const double parameter =
      1.2e6 * (threads() ? kWorldSize : 1);  // what every rank holds; observations of many times that do not count
  EXPECT_NEAR(static_cast<double>(result.ranks[1].process_heap_growth_bytes), 5e6 + parameter, 2e5);
  EXPECT_EQ(result.ranks[1].reported.parameter_bytes, 1200000u);
  EXPECT_EQ(result.ranks[1].allocated.parameter_bytes, 1200000u);
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

// Ranks that speak the protocol themselves.
class Protocols : public Endings {};
INSTANTIATE_TEST_SUITE_P(, Protocols, testing::Values(LauncherKind::kLocal, LauncherKind::kMpirun),
                         [](const auto& info) { return ToString(info.param); });

TEST_P(Protocols, Endings) {
  const std::vector<std::pair<std::string, Expectation>> behaviours = {
      {"good", {Ending::kObserved, "", false}},
      {"garbage", {Ending::kGarbage, "rank 1 sent what the protocol does not know: expected a JSON object as header"}},
      {"half", {Ending::kGarbage, "observed: expected 4 frames, got 1"}},
      {"exit", {Ending::kEarlyExit, "rank 1 exited with 0"}},
      {"crash", {Ending::kCrash, "rank 1 was killed by signal 11 (SIGSEGV)"}},
      {"hang", {Ending::kHang, "rank 1 did not answer before the deadline"}},
      {"refuse_one",
       {Ending::kDisagreement, "rank 1 refused open: UNIMPLEMENTED: not today, rank 0 observed, rank 2 observed"}},
      {"wrong_hash", {Ending::kDisagreement, "rank 1 was fed other inputs than the case says"}},
      {"wrong_rank", {Ending::kGarbage, "observed: expected rank 1, got 0"}},
      {"wrong_run", {Ending::kGarbage, "expected a message of run 1, got one of run 2"}},
      {"started", {Ending::kGarbage, "expected a message of a rank, got the type \"started\""}},
      {"ended", {Ending::kGarbage, "expected a message of a rank, got the type \"ended\""}},
      {"impostor", {Ending::kObserved, "", false}},
  };
  for (const auto& [behaviour, expected] : behaviours) {
    SCOPED_TRACE(behaviour);
    Expect(Run(FakeRank(behaviour)), expected);
  }
}

TEST_P(Protocols, InputsAreShippedToThoseThatWantThem) {
  Case c = TinyCase();
  c.experiment.micro_batches = 2;
  c.experiment.roles.missing = {{1, 0, 3}};  // of rank 1
  const RunResult result = Run(FakeRank("shipped"), c);
  ASSERT_EQ(result.ending, Ending::kObserved) << result.message;
  for (const RankObservation& o : result.ranks) EXPECT_EQ(o.input_hash, InputHash(c, o.rank));
}

TEST_P(Protocols, WhoWantsInputsGetsNoCaseBeyondItsCapabilities) {
  Case c = TinyCase();
  c.stage = 2;
  Expect(Run(FakeRank("shipped"), c),
         {Ending::kUnsupported, "the subject does not declare what the case needs: stage 2 (declared: 1)", false});
}

TEST_P(Protocols, ValuesMustFitTheirHash) {
  Case c = TinyCase();
  c.experiment.parameters = {{"large", {300, 1000}, 0}};
  Expect(Run(FakeRank("lies_about_values"), c),
         {Ending::kGarbage, "sent other values than those whose hash it had sent"});
}

TEST_P(Protocols, AnotherVersionDoesNotStart) {
  try {
    Run(FakeRank("old_protocol"));
    FAIL() << "started";
  } catch (const HarnessError& error) {
    EXPECT_NE(std::string(error.what()).find("expected protocol version 1, got 0"), std::string::npos) << error.what();
  }
}

TEST(Subject, Asked) {
  const SubjectInfo info = AskSubject(Faulty(""));
  EXPECT_EQ(info.name, "faulty");
  EXPECT_EQ(info.capabilities.stages, (std::vector<int>{0, 1}));
  EXPECT_EQ(AskSubject(FakeRank("good")).name, "fake");
}

std::string UsageErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Subject, EachMistakeHasItsSentence) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(UsageErrorOf([] { ResolveSubject("nativ"); }), "got \"nativ\"");
  has(UsageErrorOf([] { ResolveSubject("plugin:/nonexistent.so"); }), "got no file of this name");
  has(UsageErrorOf([] { ResolveSubject("exec:"); }), "expected a command");
  has(UsageErrorOf([] { AskSubject(Faulty("", "no_symbol")); }), "expected the exported symbol");
  has(UsageErrorOf([] { AskSubject(Faulty("", "other_major")); }), "got version 2");
  has(UsageErrorOf([] { LauncherKindFromString("carrier pigeon"); }), "local, threads, mpirun");
  has(UsageErrorOf([] { GroupPool(Faulty(""), {}, 4).Acquire(LauncherKind::kLocal, 5); }),
      "expected 1 to 4 ranks, got 5");
  has(UsageErrorOf([] { GroupPool(Faulty(""), {}, 4).Acquire(LauncherKind::kThreads, 0); }),
      "expected 1 to 4 ranks, got 0");
}

TEST(Launcher, MissingMpirunSaysWhatToDo) {
  const std::string path = std::getenv("PATH");
  const SessionFolder folder;
  HostSettings settings;
  settings.session_dir = folder.path();
  setenv("PATH", "/nonexistent", 1);
  const std::string error = UsageErrorOf([&] { RankGroup(Faulty(""), LauncherKind::kMpirun, 2, settings); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_NE(error.find("install Open MPI"), std::string::npos) << error;
}

TEST(Conductor, NothingOutlivesIt) {
  const SessionFolder folder;
  const std::string output = folder.path() + "/conductor.log";
  ChildProcess conductor({{OwnProgram(), "conductor"}, {}, output});
  const auto until = std::chrono::steady_clock::now() + 60s;
  std::string session;
  while ((session = OutputTail(output)).empty() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(fs::exists(session)) << session;
  EXPECT_GE(ProcessesOf(session).size(), 6u);  // three ranks and their shims
  kill(conductor.pid(), SIGKILL);
  while ((fs::exists(session) || !ProcessesOf(session).empty()) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(fs::exists(session));
  EXPECT_EQ(ProcessesOf(session), std::vector<pid_t>());
}

}  // namespace

int RunHangingCase() {
  const SessionFolder folder;
  HostSettings settings;
  settings.session_dir = folder.path();
  const auto group = std::make_unique<RankGroup>(Faulty("hang"), LauncherKind::kLocal, kWorldSize, settings);
  std::puts(folder.path().c_str());
  std::fflush(stdout);
  group->Run(TinyCase());
  return 0;
}

}  // namespace zerocts
