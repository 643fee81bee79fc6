#include "conformance/session/run/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>

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

/// A clause that fails twice.
void FailTwice() {
  Progress progress(true, 1);
  progress.Start("C-ZERO-010 declared mean");
  progress.Failed("threads W=3 fp32", "p0 is wrong\nand why");
  progress.Failed("threads W=4 fp32", "p1 is wrong");
  progress.End("fail", 8, 0.5);
}

/// What comes out of `read_end` while `write_end` is standard error; closes both.
std::string SaidOfTwoFailures(int read_end, int write_end) {
  const int before = dup(STDERR_FILENO);
  dup2(write_end, STDERR_FILENO);
  close(write_end);
  FailTwice();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::string said;
  for (char byte; read(read_end, &byte, 1) == 1;) said += byte;
  close(read_end);
  return said;
}

TEST(Progress, TellsTheFirstFailureOnATerminal) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  EXPECT_EQ(SaidOfTwoFailures(terminal, open(ptsname(terminal), O_RDWR | O_NOCTTY)),
            "\r\x1b[Kfirst failure: C-ZERO-010 declared mean under threads W=3 fp32\r\n  p0 is wrong\r\n\r\x1b[K");
}

TEST(Progress, KeepsToALineOfEachClauseElsewhere) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(SaidOfTwoFailures(ends[0], ends[1]),
            "C-ZERO-010 declared mean                              8 cases     0.5 s  fail\n");
}

}  // namespace
}  // namespace zerocts
