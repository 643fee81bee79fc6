#include "conformance/session/configuration/configurations.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "conformance/host/launchers/launcher_kind.hpp"

namespace zerocts {
namespace {

TEST(Configurations, AreEveryLauncherWorldSizeAndPrecision) {
  SessionSettings settings;
  settings.launchers = {LauncherKind::kLocal, LauncherKind::kThreads};
  settings.world_sizes = {1, 3, 5};
  EXPECT_EQ(ConfigurationsOf(settings).size(), 2u * 3 * 2);
}

TEST(Configurations, ShareCasesEvenlyAndGiveEachOne) {
  const std::vector<int> shares = Shares(100, 7);
  EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0), 100);
  for (int share : shares) EXPECT_TRUE(share == 14 || share == 15) << share;
  EXPECT_EQ(Shares(2, 5), (std::vector<int>{1, 1, 1, 1, 1}));
}

TEST(Configurations, HaveSeedsOfTheirOwn) {
  std::set<uint64_t> seeds;
  for (uint64_t run : {1, 2}) {
    for (const char* clause : {"C-ZERO-001", "C-ZERO-010"}) {
      for (int world_size : {1, 3, 31}) {
        for (Precision precision : {Precision::kFp32, Precision::kBf16}) {
          seeds.insert(SeedOf(run, clause, {LauncherKind::kLocal, world_size, precision}));
        }
      }
    }
  }
  EXPECT_EQ(seeds.size(), 2u * 2 * 3 * 2);
}

}  // namespace
}  // namespace zerocts
