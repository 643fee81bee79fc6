// Ranks that do not come up, that do not end as they should, that say too much, and what a wait for them says. Part of
// the endings test, whose main is also the worker. What waits for deadlines waits beside the others.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <future>
#include <thread>

#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/group_pool.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/held_process.hpp"

namespace zerocts {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

HostSettings SettingsIn(const SessionFolder& folder) {
  HostSettings settings{.session_dir = folder.path()};
  return settings;
}

bool IsThere(LauncherKind launcher) { return LauncherOf(launcher).Missing().empty(); }

/// What became of something, to be looked at by the test's own thread.
struct Seen {
  std::string about, ending, sentence;
  std::vector<pid_t> left;
};

struct Expected {
  LauncherKind launcher;
  SubjectSpec subject;
  std::string ending;
  std::vector<std::string> in_sentence;
};

void Expect(const Expected& expected, const Seen& seen) {
  SCOPED_TRACE(seen.about);
  EXPECT_EQ(seen.ending, expected.ending) << seen.sentence;
  for (const std::string& part : expected.in_sentence)
    EXPECT_NE(seen.sentence.find(part), std::string::npos) << part << "\n" << seen.sentence;
  EXPECT_EQ(seen.left, std::vector<pid_t>());
}

/// A rank whose shim was stopped before it spoke dies of its shim's death, a moment later.
std::vector<pid_t> LeftIn(const SessionFolder& folder) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  std::vector<pid_t> left;
  while (!(left = ProcessesOf(folder.path())).empty() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  return left;
}

/// All at once, each in a session of its own.
template <typename See>
void ExpectEach(const std::vector<Expected>& table, See see) {
  std::vector<std::future<Seen>> all;
  for (const Expected& expected : table) {
    if (!IsThere(expected.launcher)) continue;
    all.push_back(std::async(std::launch::async, [&] {
      const SessionFolder folder;
      Seen seen = see(expected, SettingsIn(folder));
      seen.about = ToString(expected.launcher) + " " + expected.subject.text +
                   (expected.subject.options.empty() ? "" : " " + expected.subject.options[0].second);
      seen.left = LeftIn(folder);
      return seen;
    }));
  }
  size_t next = 0;
  for (const Expected& expected : table) {
    if (IsThere(expected.launcher)) Expect(expected, all[next++].get());
  }
}

Seen Started(const Expected& expected, HostSettings settings) {
  if (expected.ending == "hang") settings.start_deadline = 4s;  // of a machine with other work
  try {
    RankGroup(expected.subject, expected.launcher, kWorldSize, settings);
    return {.ending = "started"};
  } catch (const StartEnded& ended) {
    return {.ending = ToString(ended.end.result.ending), .sentence = ended.what()};
  } catch (const NotASubject& wrong) {
    return {.ending = "not a subject", .sentence = wrong.what()};
  }
}

TEST(Start, OfRanksThatDoNotComeUpIsAVerdictThatNamesThem) {
  const auto command = [](const std::string& shell) { return ResolveSubject("exec:" + shell); };
  const std::string of_rank_1 =
      "if [ $ZEROCTS_RANK != 1 ]; then echo still; sleep 1000; fi; sleep 0.3; echo of rank 1; exit 3";
  const std::string stopped = "stands stopped by a signal";
  ExpectEach(
      {{LauncherKind::kLocal,
        command("kill -STOP $$"),
        "hang",
        {"ranks 0, 1, 2 did not say hello within 4 s; rank 0: ", stopped}},
       {LauncherKind::kMpirun, command("kill -STOP $$"), "hang", {"did not say hello within 4 s"}},
       {LauncherKind::kLocal, command("kill -STOP $PPID; exec sleep 1000"), "hang", {"did not say hello"}},
       {LauncherKind::kLocal, command("echo at work; sleep 1000"), "hang", {"is at work", "output ends: at work"}},
       {LauncherKind::kLocal, Faulty("", "hangs_when_loaded"), "hang", {"rank 2: ", "process "}},
       {LauncherKind::kThreads, Faulty("", "hangs_when_loaded"), "hang", {"rank 2: ", "process "}},
       {LauncherKind::kLocal,
        Faulty("", "dies_when_loaded"),
        "crash",
        {"was killed by signal 11 (SIGSEGV), it stood before its hello"}},
       {LauncherKind::kLocal,
        command("kill -9 $$"),
        "crash",
        {"was killed by signal 9 (SIGKILL), it stood before its hello"}},
       {LauncherKind::kLocal,
        command("kill -9 $PPID; exec sleep 1000"),
        "crash",
        {"lost its launcher's process, which was killed by signal 9"}},
       {LauncherKind::kLocal,
        command(of_rank_1),
        "crash",
        {"rank 1 exited with 3, it stood before its hello; output ends: of rank 1"}},
       {LauncherKind::kMpirun,
        command(of_rank_1),
        "crash",
        {"rank 1 exited with 3, it stood before its hello; output ends: of rank 1"}},
       {LauncherKind::kLocal, command("exit 0"), "early exit", {"exited with 0, it stood before its hello"}},
       {LauncherKind::kLocal, FakeRank("garbage_first"), "garbage", {"sent what the protocol does not know"}},
       {LauncherKind::kLocal,
        command("exec cat /dev/zero"),
        "crash",
        {"said too much: ", "at most 64 MiB", "it stood before its hello"}},
       {LauncherKind::kLocal, command("no-such-program --x"), "not a subject", {"not found"}},
       {LauncherKind::kMpirun, command("/etc/passwd"), "not a subject", {"exited with 126"}},
       {LauncherKind::kLocal, FakeRank("wrong_secret"), "hang", {"did not say hello", "; a peer called rank-"}},
       {LauncherKind::kMpirun,
        FakeRank("no_secret"),
        "hang",
        {"; a peer came without the group's secret (a rank gives"}},
       {LauncherKind::kLocal, FakeRank("old_protocol"), "not a subject", {"expected protocol version 1, got 0"}}},
      Started);
}

Seen Stopped(const Expected& expected, HostSettings settings) {
  if (expected.ending == "hang") settings.shutdown_deadline = 2s;
  const auto group = std::make_unique<RankGroup>(expected.subject, expected.launcher, kWorldSize, settings);
  const RunResult observed = group->Run(TinyCase());
  if (observed.ending != Ending::kObserved)
    return {.ending = "no case: " + ToString(observed.ending), .sentence = observed.message};
  const RunResult result = group->Stop();
  return {.ending = ToString(result.ending), .sentence = result.message};
}

TEST(Stop, TellsWhatRanksDoInsteadOfEnding) {
  std::vector<Expected> table;
  for (const LauncherKind launcher : {LauncherKind::kLocal, LauncherKind::kThreads, LauncherKind::kMpirun}) {
    const std::string rank = launcher == LauncherKind::kThreads ? "rank 0" : "rank 1";  // threads are one process
    const std::string killed = "after the last case " + rank + " was killed by signal 6 (SIGABRT), it stood ";
    table.push_back({launcher, Faulty(""), "observed", {}});
    table.push_back({launcher, Faulty("abort_shutdown"), "crash", {killed + "in shutdown"}});
    table.push_back({launcher, Faulty("abort_at_exit"), "crash", {killed + "behind shutdown, where its process ends"}});
    table.push_back({launcher, Faulty("fail_at_exit"), "crash", {rank + " exited with 7, it stood behind shutdown"}});
    table.push_back(
        {launcher, Faulty("loop_shutdown"), "hang", {"did not end within 2 s; rank ", "stands in shutdown"}});
  }
  ExpectEach(table, Stopped);
}

TEST(Stop, HearsOfWhoDiedAfterTheLastCase) {
  const SessionFolder folder;
  const auto group = std::make_unique<RankGroup>(Faulty(""), LauncherKind::kLocal, kWorldSize, SettingsIn(folder));
  ASSERT_EQ(group->Run(TinyCase()).ending, Ending::kObserved);
  const pid_t pid = group->rank_pids()[2];
  const HeldProcess watch(pid);
  kill(pid, SIGABRT);
  while (!watch.Gone()) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(group->Stop().message,
            "after the last case rank 2 was killed by signal 6 (SIGABRT), it stood outside of the subject");
  EXPECT_TRUE(group->spent());
  EXPECT_EQ(group->Stop().ending, Ending::kObserved) << "it was told already";
}

Seen RanCase(const Expected& expected, const HostSettings& settings) {
  const RunResult result = RankGroup(expected.subject, expected.launcher, kWorldSize, settings).Run(TinyCase());
  return {.ending = ToString(result.ending), .sentence = result.message};
}

TEST(Output, OfACaseHasABound) {
  std::vector<Expected> table;
  for (const LauncherKind launcher : {LauncherKind::kLocal, LauncherKind::kThreads, LauncherKind::kMpirun}) {
    const std::string who = launcher == LauncherKind::kThreads ? "" : "rank 1 ";  // threads share one output
    table.push_back({launcher, Faulty("spam"), "crash", {who + "said too much: ", "in step: m"}});
  }
  ExpectEach(table, RanCase);
}

TEST(Output, OfManyCasesDoesNotAddUp) {
  const SessionFolder folder;
  const auto group =
      std::make_unique<RankGroup>(Faulty("babble"), LauncherKind::kLocal, kWorldSize, SettingsIn(folder));
  for (int again = 0; again < 3; ++again) EXPECT_EQ(group->Run(TinyCase()).message, "");
}

TEST(Wait, SaysWhatItWaitsFor) {
  const SessionFolder folder;
  HostSettings settings = SettingsIn(folder);
  settings.notice_every = 300ms;
  settings.case_deadline = settings.shutdown_deadline = 1s;
  const auto in_case = std::make_unique<RankGroup>(Faulty("hang"), LauncherKind::kLocal, 2, settings);
  const auto measured = std::make_unique<RankGroup>(Faulty("hang"), LauncherKind::kLocal, 2, settings);
  Case of_no_clause = TinyCase(2);
  of_no_clause.clause.clear();
  const auto at_end = std::make_unique<RankGroup>(Faulty("loop_shutdown"), LauncherKind::kLocal, 2, settings);
  EXPECT_EQ(at_end->Run(TinyCase(2)).message, "");
  settings.start_deadline = 1s;
  testing::internal::CaptureStderr();
  {
    const auto run = std::async(std::launch::async, [&] { return in_case->Run(TinyCase(2)); });
    const auto measure = std::async(std::launch::async, [&] { return measured->Run(of_no_clause); });
    const auto stop = std::async(std::launch::async, [&] { return at_end->Stop(); });
    EXPECT_THROW(RankGroup(ResolveSubject("exec:kill -STOP $$"), LauncherKind::kLocal, 1, settings), StartEnded);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char* part :
       {"waiting for ranks 0, 1 to answer a case of C-ZERO-001 (0 of 1 s); rank 0: pid ",
        "waiting for ranks 0, 1 to end their case (0 of 1 s); rank 0: pid ",
        "waiting for rank 1 to end (0 of 1 s); pid ", "waiting for rank 0 to say hello (0 of 1 s); its process "}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
  }
}

TEST(Pool, AStartThatHungIsNotWaitedForAgain) {
  const SessionFolder folder;
  HostSettings settings = SettingsIn(folder);
  settings.start_deadline = 1s;
  GroupPool pool(Faulty("", "hangs_when_loaded"), settings);
  const RunResult first = pool.Run(LauncherKind::kLocal, TinyCase(2));
  EXPECT_EQ(first.ending, Ending::kHang);
  EXPECT_EQ(first.reports.size(), 2u);
  EXPECT_EQ(pool.Run(LauncherKind::kLocal, TinyCase(2)).message, first.message) << "which names processes";
}

TEST(Pool, AGroupThatHangsInItsEndMakesNoOtherLate) {
  const SessionFolder folder;
  HostSettings settings = SettingsIn(folder);
  settings.shutdown_deadline = 1s;
  GroupPool pool(Faulty("loop_shutdown"), settings);
  for (const int world_size : {1, 2, 3}) EXPECT_EQ(pool.Run(LauncherKind::kLocal, TinyCase(world_size)).message, "");
  for (const GroupEnd& end : pool.Stop()) {
    EXPECT_NE(end.world_size, 1);
    EXPECT_NE(end.result.message.find("after the last case rank 1 did not end within 1 s"), std::string::npos)
        << end.result.message;
  }
}

TEST(Pool, CollectsHowItsGroupsEnded) {
  const SessionFolder folder;
  GroupPool pool(Faulty("abort_shutdown"), SettingsIn(folder), 4);
  for (const int world_size : {2, 3, 1})
    EXPECT_EQ(pool.Run(LauncherKind::kLocal, TinyCase(world_size)).message, "");  // 2 + 3 are too many
  std::vector<int> world_sizes;
  for (const GroupEnd& end : pool.Stop()) {
    world_sizes.push_back(end.world_size);
    EXPECT_EQ(end.result.ending, Ending::kCrash) << end.result.message;
  }
  EXPECT_EQ(world_sizes, (std::vector<int>{2, 3}));  // rank 1 misbehaves, and one rank has none
  EXPECT_TRUE(pool.Stop().empty());
}

}  // namespace
}  // namespace zerocts
