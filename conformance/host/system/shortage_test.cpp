#include "conformance/host/system/shortage.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>

namespace zerocts {
namespace {

std::string SentenceUnder(int resource, rlimit limit) {
  setrlimit(resource, &limit);
  try {
    RequireLimits();
    return "";
  } catch (const Shortage& shortage) {
    return shortage.what();
  }
}

/// In a process of its own, whose limits end with it.
bool HoldsInAChild(const std::function<bool()>& claim) {
  const pid_t child = fork();
  if (child == 0) _exit(claim() ? EXIT_SUCCESS : EXIT_FAILURE);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

TEST(Shortage, AHardLimitThatIsTooLowIsNamed) {
  EXPECT_TRUE(HoldsInAChild([] {
    return SentenceUnder(RLIMIT_NOFILE, {16, 16}) ==
           "the limit of open files is too low for a run: expected 320 or more, got 16; raise it (ulimit -n)";
  }));
  EXPECT_TRUE(HoldsInAChild([] {
    return SentenceUnder(RLIMIT_FSIZE, {1000, 1000}).find("got 1000; raise it (ulimit -f)") != std::string::npos;
  }));
  EXPECT_TRUE(HoldsInAChild([] {
    return SentenceUnder(RLIMIT_DATA, {99999, 99999}).find("ulimit -d") != std::string::npos;
  }));
}

TEST(Shortage, ASoftLimitIsRaisedAsFarAsIsNeeded) {
  EXPECT_TRUE(HoldsInAChild([] {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 32;
    const bool taken = SentenceUnder(RLIMIT_NOFILE, limit).empty();
    getrlimit(RLIMIT_NOFILE, &limit);
    return taken && limit.rlim_cur == 320;
  }));
}

TEST(Shortage, MoreRanksNeedMoreFiles) {
  EXPECT_TRUE(HoldsInAChild([] {
    const rlimit limit{400, 400};
    setrlimit(RLIMIT_NOFILE, &limit);
    RequireLimits(64);
    try {
      RequireLimits(100);
    } catch (const Shortage& shortage) {
      return std::string(shortage.what()).find("expected 464 or more, got 400") != std::string::npos;
    }
    return false;
  }));
}

TEST(Shortage, ThreadsThatCannotBeStartedAreCounted) {
  EXPECT_TRUE(HoldsInAChild([] {
    constexpr uid_t kNobody = 65534;  // the limit does not hold for root
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) return false;
    return SentenceUnder(RLIMIT_NPROC, {1, 1}) ==
           "processes and threads are too few for a run: expected 24 more, got 0: Resource temporarily unavailable; "
           "end other processes or raise "
           "their limit (ulimit -u)";
  }));
}

TEST(Shortage, IsOfTheMachineNotOfAPath) {
  EXPECT_TRUE(IsShortage(ENOSPC));
  EXPECT_FALSE(IsShortage(EACCES));
  EXPECT_FALSE(IsShortage(0));
}

TEST(Shortage, AFolderWithoutRoomIsNamedWithWhatHelps) {
  EXPECT_EQ(MissingRoom(testing::TempDir(), 1), "");
  EXPECT_EQ(MissingRoom("/proc", 4096),
            "the folder /proc is full: expected 4096 free bytes, got 0; free some or set TMPDIR to a folder elsewhere");
  EXPECT_EQ(MissingRoom("/nonexistent", 1), "the folder /nonexistent: No such file or directory");
  EXPECT_THROW(RequireRoom("/proc"), Shortage);
}

TEST(Shortage, AFolderThatTakesNoFileIsNamed) {
  EXPECT_TRUE(HoldsInAChild([] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return MissingRoom(testing::TempDir(), 1)
               .find("takes no more files: File too large; raise the limit of a file's size") != std::string::npos;
  }));
}

}  // namespace
}  // namespace zerocts
