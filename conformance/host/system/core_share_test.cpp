#include "conformance/host/system/core_share.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace zerocts {
namespace {

TEST(ShareOfCores, IsAnEqualPartInARow) {
  const std::vector<int> cores = {0, 1, 4, 5, 6};
  EXPECT_EQ(ShareOfCores(cores, 0, 2), (std::vector<int>{0, 1}));
  EXPECT_EQ(ShareOfCores(cores, 1, 2), (std::vector<int>{4, 5}));
  EXPECT_EQ(ShareOfCores(cores, 0, 1), cores);
  EXPECT_EQ(ShareOfCores(cores, 4, 5), std::vector<int>{6});
  EXPECT_EQ(ShareOfCores(cores, 3, 6), std::vector<int>()) << "no core for each";
}

TEST(ShareOfCores, IsKeptByTheThreadThatAsks) {
  const std::vector<int> cores = AllowedCores();
  if (cores.size() < 2) GTEST_SKIP() << "one core";
  std::thread([&] {
    KeepToShareOfCores(1, 2);
    EXPECT_EQ(AllowedCores(), ShareOfCores(cores, 1, 2));
  }).join();
  EXPECT_EQ(AllowedCores(), cores);
  std::thread([&] {
    KeepToShareOfCores(0, static_cast<int>(cores.size()) + 1);
    EXPECT_EQ(AllowedCores(), cores);
  }).join();
}

}  // namespace
}  // namespace zerocts
