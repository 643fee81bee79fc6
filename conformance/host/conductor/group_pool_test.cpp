// Groups are kept, replaced when they are spent, and leased to one thread at a time. Part of the endings test, whose
// main is also the worker.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/group_pool.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

TEST(Pool, KeepsGroupsReplacesSpentOnesAndStaysWithinItsCap) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  settings.case_deadline = 3s;
  SubjectSpec subject = Faulty("crash");
  subject.options.emplace_back("rank", "3");  // there is one with W = 4 only
  {
    GroupPool pool(subject, settings, 6);
    const std::vector<int> first = pool.Acquire(LauncherKind::kLocal, 2)->rank_pids();
    EXPECT_EQ(pool.Acquire(LauncherKind::kLocal, 4)->Run(TinyCase(4)).ending, Ending::kCrash);
    EXPECT_FALSE(pool.Acquire(LauncherKind::kLocal, 4)->spent());
    EXPECT_EQ(pool.Acquire(LauncherKind::kLocal, 2)->rank_pids(), first);
    pool.Acquire(LauncherKind::kLocal, 3);  // 2 + 4 + 3 are too many: the one of 4, used longest ago, goes
    EXPECT_EQ(pool.Acquire(LauncherKind::kLocal, 2)->rank_pids(), first);
  }
  EXPECT_EQ(ProcessesOf(folder.path()), std::vector<pid_t>());
}

TEST(Pool, LeasesAGroupToOneThreadAtATime) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  GroupPool pool(Faulty(""), settings, 4);
  std::optional<GroupPool::Lease> first(pool.Acquire(LauncherKind::kLocal, 2));
  const std::vector<int> pids = (*first)->rank_pids();
  std::optional<GroupPool::Lease> second(pool.Acquire(LauncherKind::kLocal, 2));
  EXPECT_NE((*second)->rank_pids(), pids);
  std::atomic<bool> has = false;
  std::thread third([&] {
    const GroupPool::Lease lease = pool.Acquire(LauncherKind::kLocal, 2);
    EXPECT_EQ(lease->rank_pids(), pids);
    has = true;
  });
  std::this_thread::sleep_for(300ms);
  EXPECT_FALSE(has) << "2 + 2 + 2 are too many";
  first.reset();
  third.join();
}

TEST(Pool, KnowsTheNotesOfEveryRankThatEverStarted) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  std::set<std::tuple<int, int>> noted;  // world size, rank
  {
    GroupPool pool(Faulty("", "faulty_fast_math_in_rank_1"), settings, 3);
    for (const int world_size : {1, 2, 3, 2}) pool.Acquire(LauncherKind::kLocal, world_size);
    pool.Stop();
    for (const GroupNote& note : pool.Notes()) noted.emplace(note.world_size, note.rank);
  }
  EXPECT_EQ(noted, (std::set<std::tuple<int, int>>{{2, 1}, {3, 1}}));
}

TEST(Pool, LoadsPluginsThatSeeNoVariableOfTheSuite) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  setenv("ZEROCTS_TIER", "smoke", 1);  // a user's option
  GroupPool pool(Faulty("", "faulty_watched"), settings);
  for (const LauncherKind launcher : {LauncherKind::kLocal, LauncherKind::kThreads})
    EXPECT_NO_THROW(pool.Acquire(launcher, 2)) << ToString(launcher);
  unsetenv("ZEROCTS_TIER");
}

TEST(Pool, RunsACaseWhoseCheckpointOthersLoadOnBothGroupsAndLeavesNothing) {
  const SessionFolder folder;
  HostSettings settings{.session_dir = folder.path()};
  settings.case_deadline = 3s;
  GroupPool pool(ResolveSubject("plugin:" + kPlugins + "/told.so"), settings);
  Case c = TinyCase(3);
  c.observe_parameters = c.observe_states = false;
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 2};
  const RunResult result = pool.Run(LauncherKind::kLocal, c);
  EXPECT_EQ(ToString(result.ending), ToString(Ending::kObserved)) << result.message;
  EXPECT_EQ(result.ranks.size(), 3u);
  EXPECT_EQ(result.loading_ranks.size(), 2u);
  EXPECT_EQ(result.reports.size(), 2u);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().filename().string().find("checkpoint"), std::string::npos) << entry.path();
  }
  c.stage = 2;
  EXPECT_EQ(ToString(pool.Run(LauncherKind::kLocal, c).ending), ToString(Ending::kUnsupported));
}

}  // namespace
}  // namespace zerocts
