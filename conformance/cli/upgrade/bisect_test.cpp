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
      return std::optional(std::ranges::find(kReleases, release) >= first);
    });
    EXPECT_EQ(found, *first);
    EXPECT_LE(asked.size(), 3u) << "by halves";
    EXPECT_EQ(std::ranges::count(asked, "1.0") + std::ranges::count(asked, "3.0"), 0) << "they are known";
  }
}

TEST(Bisect, NeighboursNeedNoQuestion) {
  EXPECT_EQ(FirstWrong({"1.0", "1.1"}, [](const std::string&) -> std::optional<bool> { throw 1; }), "1.1");
}

TEST(Bisect, LeavesOutWhatCannotBeRun) {
  const auto is_wrong = [](const std::string& release) -> std::optional<bool> {
    if (release == "1.10" || release == "2.0") return std::nullopt;
    return release >= "2";
  };
  EXPECT_EQ(FirstWrong(kReleases, is_wrong), "2.1") << "the first of those that could be run";
}

}  // namespace
}  // namespace zerocts
