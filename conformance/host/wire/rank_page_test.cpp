#include "conformance/host/wire/rank_page.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

constexpr int kNoMount = 99;  // the exit code where this user may not mount

/// Runs `body` where a folder has a file system of its own, in a child, which ends with the exit code of
/// `body(folder)`. Returns its status as waitpid does.
int OnFileSystemOf(const std::string& size, const std::function<int(const std::string& folder)>& body) {
  std::string folder = (std::filesystem::temp_directory_path() / "zerocts-tiny-XXXXXX").string();
  if (!mkdtemp(folder.data())) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const bool apart = unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    const bool mounted = apart && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    _exit(mounted ? body(folder) : kNoMount);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::remove(folder);
  return status;
}

std::string TemporaryPath() { return testing::TempDir() + "zerocts_page_" + std::to_string(getpid()); }

TEST(RankPage, TheConductorReadsWhatTheRankWrote) {
  const std::string path = TemporaryPath();
  RankPage rank(path), conductor(path);
  EXPECT_EQ(ToString(conductor.Read()), "outside of the subject");
  rank.Enter("accumulate", 4, 2);
  EXPECT_EQ(ToString(conductor.Read()), "at step 4, micro-batch 2, in accumulate");
  rank.Progress("reduce_scatter", "bucket 3");
  EXPECT_EQ(ToString(conductor.Read()), "at step 4, micro-batch 2, in accumulate: reduce_scatter, bucket 3");
  rank.Enter("open", -1, -1);
  EXPECT_EQ(ToString(conductor.Read()), "before the first step, in open");
  rank.MarkFatalSignal(SIGSEGV);
  EXPECT_EQ(conductor.Read().fatal_signal, SIGSEGV);
  rank.Clear();
  EXPECT_EQ(conductor.Read().fatal_signal, 0);
  std::remove(path.c_str());
}

TEST(RankPage, LongAndMissingTextsAreCut) {
  RankPage page("");
  page.Enter("step", 0, -1);
  page.Progress(std::string(1000, 'x').c_str(), nullptr);
  EXPECT_EQ(page.Read().operation, std::string(63, 'x'));
  EXPECT_EQ(page.Read().detail, "");
}

TEST(RankPage, ReadingWhileWritingNeverMixesTwoPositions) {
  RankPage page("");
  page.Progress("a", "a");
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20000; ++i) page.Progress(i % 2 ? "a" : "bb", i % 2 ? "a" : "bb");
    done = true;
  });
  while (!done) {
    LastPosition last_position;
    if (page.ReadOnce(&last_position)) {
      EXPECT_EQ(last_position.operation, last_position.detail);
    }
  }
  writer.join();
}

TEST(RankPage, AFullFileSystemIsSaidAndKillsNobody) {
  const int status = OnFileSystemOf("8k", [](const std::string& folder) {
    RankPage first(folder + "/page0"), second(folder + "/page1");
    try {
      RankPage third(folder + "/page2");
      third.Clear();
    } catch (const HarnessError& full) {
      return std::string(full.what()).find("page2: cannot map it: No space left on device; free some") !=
                     std::string::npos
                 ? 0
                 : 1;
    }
    return 2;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoMount) GTEST_SKIP() << "this user may not mount a file system";
  EXPECT_EQ(status, 0);
}

TEST(RankPage, APathThatCannotBeIsNamed) { EXPECT_THROW(RankPage("/nonexistent/page"), HarnessError); }

}  // namespace
}  // namespace zerocts
