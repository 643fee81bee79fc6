#include "conformance/cli/upgrade/bisect.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace zerocts {
namespace {

const std::vector<std::string> kReleases = {"1.0", "1.1", "1.2", "1.10", "2.0", "2.1", "3.0"};

TEST(Bisect, FindsEachRelease) {
  for (auto first = kReleases.begin() + 1; first != kReleases.end(); ++first) {
    std::vector<std::string> asked;
    const std::string found = FirstWrong(kReleases, [&](const std::string& release) {
      asked.push_back(release);
      return std::ranges::find(kReleases, release) >= first;
    });
    EXPECT_EQ(found, *first);
    EXPECT_LE(asked.size(), 3u) << "by halves";
    EXPECT_EQ(std::ranges::count(asked, "1.0") + std::ranges::count(asked, "3.0"), 0) << "they are known";
  }
}

TEST(Bisect, NeighboursNeedNoQuestion) {
  EXPECT_EQ(FirstWrong({"1.0", "1.1"}, [](const std::string&) -> bool { throw 1; }), "1.1");
}

}  // namespace
}  // namespace zerocts
