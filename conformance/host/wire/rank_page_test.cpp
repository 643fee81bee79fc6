#include "conformance/host/wire/rank_page.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/tiny_file_system_for_test.hpp"

namespace zerocts {
namespace {

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

TEST(RankPage, ReadingWhileWritingNeverMixesTwoPlaces) {
  RankPage page("");
  page.Progress("a", "a");
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 20000; ++i) page.Progress(i % 2 ? "a" : "bb", i % 2 ? "a" : "bb");
    done = true;
  });
  while (!done) {
    Standing standing;
    if (page.ReadOnce(&standing)) {
      EXPECT_EQ(standing.operation, standing.detail);
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
