// Ranks that keep to their share of the cores. Part of the endings test, whose main is also the worker.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/core_share.hpp"

namespace zerocts {
namespace {

/// The cores on which any thread of the process may run, in order.
std::vector<int> CoresOf(pid_t pid) {
  std::set<int> cores;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    for (const int core : AllowedCores(std::stoi(thread.path().filename()))) cores.insert(core);
  }
  return {cores.begin(), cores.end()};
}

std::vector<std::vector<int>> CoresOfRanks(LauncherKind launcher, bool binds_ranks) {
  const SessionFolder folder;
  RankGroup group(Faulty(""), launcher, 2, {.binds_ranks = binds_ranks, .session_dir = folder.path()});
  std::vector<std::vector<int>> cores;
  for (const pid_t pid : group.rank_pids()) cores.push_back(CoresOf(pid));
  return cores;
}

TEST(BoundRanks, KeepToTheirShareOfTheCores) {
  const std::vector<int> all = AllowedCores();
  if (all.size() < 2) GTEST_SKIP() << "one core";
  const std::vector<std::vector<int>> bound = {ShareOfCores(all, 0, 2), ShareOfCores(all, 1, 2)}, is_free = {all, all};
  EXPECT_EQ(CoresOfRanks(LauncherKind::kLocal, true), bound);
  EXPECT_EQ(CoresOfRanks(LauncherKind::kLocal, false), is_free);
  EXPECT_EQ(CoresOfRanks(LauncherKind::kThreads, true), is_free) << "one process, which has both";
  if (LauncherOf(LauncherKind::kMpirun).Missing().empty()) {
    EXPECT_EQ(CoresOfRanks(LauncherKind::kMpirun, true), bound);
  }
}

}  // namespace
}  // namespace zerocts
