#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <regex>
#include <thread>

#include "impl/comm/backends.hpp"
#include "impl/comm/rank_bodies_for_test.hpp"
#include "impl/comm/ranks_for_test.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void ExpectAllWell(const std::vector<std::string>& sentences) {
  for (size_t rank = 0; rank < sentences.size(); ++rank) EXPECT_EQ(sentences[rank], "") << "rank " << rank;
}

/// The sentence of a timeout without the seconds that it really waited.
std::string WithoutSeconds(const std::string& sentence) {
  return std::regex_replace(sentence, std::regex("waited [0-9.]+ s"), "waited");
}

class EveryWorldSize : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, EveryWorldSize, testing::Values(1, 2, 3, 5));

TEST_P(EveryWorldSize, Threads) {
  ExpectAllWell(RunOnThreads(GetParam(), seconds(20), [](TestRank& self) {
    const auto comm = MakeCommunicator("threads", self.settings);
    CheckCollectives(*comm, self.device);
    CheckNobodyOvertakes(*comm);
  }));
}

TEST_P(EveryWorldSize, SharedMemoryBetweenProcesses) {
  ExpectAllWell(RunOnProcesses(GetParam(), seconds(20), [](TestRank& self) {
    const auto comm = MakeCommunicator("shm", self.settings);
    CheckCollectives(*comm, self.device);
    CheckNobodyOvertakes(*comm);
  }));
}

TEST_P(EveryWorldSize, SharedMemoryBetweenThreads) {
  ExpectAllWell(RunOnThreads(GetParam(), seconds(20), [](TestRank& self) {
    const auto comm = MakeCommunicator("shm", self.settings);
    CheckCollectives(*comm, self.device);
  }));
}

TEST(Waits, NameTheMissingRankWhenTheDeadlineRunsOut) {
  std::latch others_gave_up(2);
  const auto sentences = RunOnThreads(3, milliseconds(500), [&](TestRank& self) {
    const auto comm = MakeCommunicator("threads", self.settings);
    comm->Barrier("start");
    if (self.rank == 1) return others_gave_up.wait();
    struct CountDown {
      std::latch& latch;
      ~CountDown() { latch.count_down(); }
    } on_exit{others_gave_up};
    comm->Barrier("parameters");
  });
  EXPECT_EQ(WithoutSeconds(sentences[0]), "barrier #3 (parameters): waited; arrived 0,2; missing 1");
  EXPECT_EQ(WithoutSeconds(sentences[2]), WithoutSeconds(sentences[0]));
  EXPECT_EQ(sentences[1], "");
}

TEST(Waits, NameTheMissingProcessWhenTheDeadlineRunsOut) {
  const auto sentences = RunOnProcesses(3, milliseconds(500), [](TestRank& self) {
    const auto comm = MakeCommunicator("shm", self.settings);
    comm->Barrier("start");
    if (self.rank == 2) return std::this_thread::sleep_for(milliseconds(1500));
    comm->Barrier("parameters");
  });
  EXPECT_EQ(WithoutSeconds(sentences[0]), "barrier #3 (parameters): waited; arrived 0,1; missing 2");
  EXPECT_EQ(WithoutSeconds(sentences[1]), WithoutSeconds(sentences[0]));
}

TEST(Waits, AreNotServedWhenARankThatIsAwaitedGaveUp) {
  for (const char* backend : {"threads", "shm"}) {
    const auto started = std::chrono::steady_clock::now();
    const auto sentences = RunOnThreads(4, seconds(30), [&](TestRank& self) {
      const auto comm = MakeCommunicator(backend, self.settings);
      comm->Barrier("start");
      if (self.rank == 3) throw std::runtime_error("its own trouble");
      comm->Barrier("parameters");
    });
    EXPECT_LT(std::chrono::steady_clock::now() - started, seconds(5)) << backend;
    EXPECT_EQ(sentences[3], "its own trouble");
    EXPECT_NE(sentences[0].find("gave up"), std::string::npos) << sentences[0];
    EXPECT_NE(sentences[0].find("3"), std::string::npos) << sentences[0];
  }
}

TEST(Waits, ALateRankLearnsThatTheOthersGaveUp) {
  const auto sentences = RunOnThreads(3, milliseconds(100), [](TestRank& self) {
    const auto comm = MakeCommunicator("threads", self.settings);
    if (self.rank == 0) std::this_thread::sleep_for(milliseconds(300));
    comm->Barrier("parameters");
  });
  EXPECT_NE(sentences[0].find("gave up"), std::string::npos) << sentences[0];
  EXPECT_NE(sentences[1].find("missing 0"), std::string::npos) << sentences[1];
}

TEST(Waits, ARankThatNeverJoinsIsNamed) {
  for (const char* backend : {"threads", "shm"}) {
    const auto sentences = RunOnThreads(3, milliseconds(200), [&](TestRank& self) {
      if (self.rank != 1) MakeCommunicator(backend, self.settings);
    });
    EXPECT_NE(sentences[0].find("join #1"), std::string::npos) << sentences[0];
    EXPECT_NE(sentences[0].find("missing 1"), std::string::npos) << sentences[0];
  }
}

TEST(Waits, AreReportedAsProgress) {
  ExpectAllWell(RunOnThreads(2, seconds(5), [](TestRank& self) {
    std::vector<std::string> progress;
    self.settings.progress = [&](const char* operation, const char* detail) {
      progress.push_back(std::string(operation) + " " + detail);
    };
    const auto comm = MakeCommunicator("threads", self.settings);
    comm->Barrier("parameters");
    const std::vector<std::string> expected = {"join threads", "compute threads", "barrier parameters",
                                               "compute parameters"};
    if (progress != expected) throw std::runtime_error("progress was not reported around the wait");
  }));
}

TEST(Backends, ThreadsRefusesRanksOfOtherProcesses) {
  const auto sentences =
      RunOnProcesses(2, milliseconds(300), [](TestRank& self) { MakeCommunicator("threads", self.settings); });
  EXPECT_NE(sentences[1].find("another process than rank 0"), std::string::npos) << sentences[1];
}

TEST(Backends, MpiRefusesRanksThatShareAProcess) {
  if (!HasMpi()) GTEST_SKIP() << "this build has no MPI";
  const auto sentences = RunOnThreads(2, seconds(1), [](TestRank& self) { MakeCommunicator("mpi", self.settings); });
  EXPECT_NE(sentences[0].find("expected one process per rank, or comm threads"), std::string::npos) << sentences[0];
}

TEST(Backends, UnknownNamesListWhatThereIs) {
  const auto sentences = RunOnThreads(1, seconds(1), [](TestRank& self) { MakeCommunicator("pigeon", self.settings); });
  EXPECT_EQ(sentences[0].find("backend pigeon is unknown; this build has: threads, shm"), 0u) << sentences[0];
}

TEST(Backends, AutoTakesThreadsWhenRanksShareTheProcess) {
  ExpectAllWell(RunOnThreads(3, seconds(5), [](TestRank& self) {
    if (MakeCommunicator("auto", self.settings)->name() != "threads") throw std::runtime_error("not threads");
  }));
}

}  // namespace
}  // namespace zerocts
