#include "conformance/session/run/progress.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

TEST(Progress, TellsTheTimeThatIsLeftOnceAClauseEnded) {
  EXPECT_EQ(TimeLeft(0, 56, 3), "");
  EXPECT_EQ(TimeLeft(2, 56, 3), "about 1:21 left");
  EXPECT_EQ(TimeLeft(1, 3, 3600), "about 2:00:00 left");
  EXPECT_EQ(TimeLeft(56, 56, 100), "");
  EXPECT_EQ(TimeLeft(3, 0, 100), "") << "how many there are is not known";
}

TEST(Progress, LineFitsTheTerminal) {
  const auto line = [](size_t columns) {
    return ProgressLine("[ 3/56] ", "C-ZERO-003 padding inertness", 120, 1, "about 1:20 left", "local W=3 fp32",
                        columns);
  };
  EXPECT_EQ(line(200), "[ 3/56] C-ZERO-003 padding inertness  120 cases  1 failed  about 1:20 left  local W=3 fp32");
  EXPECT_EQ(line(40).size(), 39u) << "the last column makes some terminals wrap";
}

}  // namespace
}  // namespace zerocts
