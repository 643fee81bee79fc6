#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <regex>
#include <thread>

#include "impl/comm/backends.hpp"
#include "impl/comm/buffer.hpp"
#include "impl/comm/direct/copy_past_caches.hpp"
#include "impl/comm/for_test/group_bodies.hpp"
#include "impl/comm/for_test/late_stream.hpp"
#include "impl/comm/for_test/rank_bodies.hpp"
#include "impl/comm/for_test/ranks.hpp"
#include "impl/comm/for_test/sentences.hpp"
#include "impl/comm/hosts.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The backends that start without a launcher, a library or a GPU.
std::vector<std::string> BetweenProcesses() {
  std::vector<std::string> names;
  for (const Backend& backend : kBackends) {
    if (backend.in_this_build == InEveryBuild && backend.needs != Needs::kGpu && backend.name != "threads")
      names.emplace_back(backend.name);
  }
  return names;
}

class EveryWorldSize : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, EveryWorldSize, testing::Values(1, 2, 3, 4, 5, 6));

TEST_P(EveryWorldSize, Threads) {
  ExpectAllWell(RunOnThreads(GetParam(), seconds(20), [](TestRank& self) {
    const auto comm = MakeCommunicator("threads", self.settings);
    CheckCollectives(*comm);
    CheckNobodyOvertakes(*comm, *self.device.MakeStream(StreamRole::kCommunication));
  }));
}

TEST_P(EveryWorldSize, BetweenProcessesOfThisHost) {
  for (const std::string& backend : BetweenProcesses()) {
    SCOPED_TRACE(backend);
    ExpectAllWell(RunOnProcesses(GetParam(), seconds(20), [&](TestRank& self) {
      const auto comm = MakeCommunicator(backend, self.settings);
      CheckCollectives(*comm);
      CheckNobodyOvertakes(*comm, *self.device.MakeStream(StreamRole::kCommunication));
    }));
  }
}

TEST_P(EveryWorldSize, SharedMemoryBetweenThreads) {
  ExpectAllWell(RunOnThreads(GetParam(), seconds(20), [](TestRank& self) {
    const auto comm = MakeCommunicator("shm", self.settings);
    CheckCollectives(*comm);
  }));
}

TEST(CopyPastCaches, CopiesEveryByteAndNoOther) {
  for (const int64_t bytes : {0, 1, 63, 64, 65, 127, 1000}) {
    for (const int64_t out_at : {0, 1, 17, 63}) {
      for (const int64_t in_at : {0, 5}) {
        std::vector<unsigned char> in(1200), out(1200, 0xff), expected = out;
        for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i % 251);
        std::copy_n(in.begin() + in_at, bytes, expected.begin() + out_at);
        CopyPastCaches(out.data() + out_at, in.data() + in_at, bytes);
        ASSERT_EQ(out, expected) << bytes << " bytes from " << in_at << " to " << out_at;
      }
    }
  }
}

TEST(Calls, GatherMoreThanTheCachesHold) {
  constexpr int64_t kPart = 500001;
  const auto value = [](int64_t i) { return static_cast<float>(i % 1000003); };
  const auto body = [&](const char* backend) {
    return [=](TestRank& self) {
      const auto comm = MakeCommunicator(backend, self.settings);
      auto* own = static_cast<float*>(comm->Allocate(kPart * 4, MemoryKind::kParameter));
      for (int64_t i = 0; i < kPart; ++i) own[i] = value(self.rank * kPart + i);
      std::vector<float> full(3 * kPart + 2, -77), expected = full;
      for (int64_t i = 0; i < 3 * kPart; ++i) expected[i + 1] = value(i);
      const auto stream = self.device.MakeStream(StreamRole::kCommunication);
      comm->AllGather(full.data(), own, {{1, 1 + kPart, 1 + 2 * kPart, 1 + 3 * kPart}}, 4, *stream, "parameters");
      stream->Synchronize();
      if (full != expected) throw std::runtime_error("a gathered element is wrong");
      comm->Free(own);
    };
  };
  ExpectAllWell(RunOnThreads(3, seconds(20), body("threads")));
  ExpectAllWell(RunOnProcesses(3, seconds(20), body("shm")));
}

TEST(Hosts, ArePretendedByTheirRanksOfTheWorld) {
  const auto hosts = [](std::vector<int> members, std::vector<int> ranks_per_host) {
    return PretendedHosts({"group", std::move(members), 0}, ranks_per_host).ranks;
  };
  using Ranks = std::vector<std::vector<int>>;
  EXPECT_EQ(hosts({0, 1, 2}, {2}), (Ranks{{0, 1}, {2}}));
  EXPECT_EQ(hosts({0, 1, 2, 3, 4}, {2, 3}), (Ranks{{0, 1}, {2, 3, 4}}));
  EXPECT_EQ(hosts({0, 1, 2, 3, 4}, {1, 2}), (Ranks{{0}, {1, 2}, {3, 4}}));
  EXPECT_EQ(hosts({1, 4, 5}, {2}), (Ranks{{0}, {1, 2}})) << "a host without a rank of the group is none";
  EXPECT_EQ(HostsByLabel({7, 3, 7, 3}).host_of, (std::vector<int>{0, 1, 0, 1}));
}

TEST(Hosts, AreToldApartByKernelAndSpacesOfProcessesAndUsers) {
  const HostIdentity here = IdentityOfThisHost();
  EXPECT_TRUE(std::regex_match(here.data(), std::regex(R"([0-9a-f-]{36} pid:\[\d+\] user:\[\d+\])"))) << here.data();
  EXPECT_EQ(here, IdentityOfThisHost());
}

TEST(Hosts, TakeTurnsAsGateways) {
  const Hosts even = HostsByLabel({0, 0, 1, 1});
  EXPECT_EQ(GatewayOf(even, 0, 1), 0);
  EXPECT_EQ(GatewayOf(even, 1, 1), 1);
  const Hosts one_and_three = HostsByLabel({0, 1, 2, 2, 2});
  EXPECT_NE(GatewayOf(one_and_three, 0, 2), GatewayOf(one_and_three, 1, 2));
}

TEST(Groups, RowsAndColumnsOfAMeshWorkSideBySide) {
  const auto check = [](const char* backend) {
    return [=](TestRank& self) { CheckGroupsOfAMesh(backend, self.settings); };
  };
  ExpectAllWell(RunOnThreads(6, seconds(20), check("threads")));
  ExpectAllWell(RunOnProcesses(6, seconds(20), check("shm")));
}

TEST(Groups, OfTheSameRanksDoNotMeet) {
  const auto check = [](const char* backend) { return [=](TestRank& self) { CheckTwins(backend, self.settings); }; };
  ExpectAllWell(RunOnThreads(3, seconds(20), check("threads")));
  ExpectAllWell(RunOnProcesses(3, seconds(20), check("shm")));
}

TEST(Groups, NameRanksOfTheWorldInTimeouts) {
  const auto sentences = RunOnThreads(6, milliseconds(300), [](TestRank& self) {
    if (self.rank % 2 == 0) return;
    self.settings.group = "odd";
    self.settings.members = {1, 3, 5};
    const auto comm = MakeCommunicator("threads", self.settings);
    if (self.rank == 3) return std::this_thread::sleep_for(milliseconds(900));
    comm->Barrier("parameters");
  });
  EXPECT_EQ(WithoutSeconds(sentences[1]), "barrier #2 (parameters): waited; arrived 1,5; missing 3");
}

TEST(Groups, RefuseMembersThatMakeNoSense) {
  const auto refusal = [](std::vector<int> members) {
    return RunOnThreads(1, seconds(1), [&](TestRank& self) {
      self.settings.rank = 1;
      self.settings.world_size = 3;
      self.settings.group = "odd";
      self.settings.members = members;
      MakeCommunicator("threads", self.settings);
    })[0];
  };
  EXPECT_EQ(refusal({2, 1}), "group odd: its members are 2,1; expected ascending ranks of 0..2, 1 among them");
  EXPECT_NE(refusal({0, 2}), "");
  EXPECT_NE(refusal({1, 1}), "");
  EXPECT_NE(refusal({1, 3}), "");
  EXPECT_NE(refusal({-1, 1}), "");
}

TEST(Calls, RefuseCutsThatMakeNoSense) {
  for (const Cuts& cuts : {Cuts{{0, 1, 2}}, Cuts{{0, 2, 1, 3}}, Cuts{{0, 1, 2, 3}, {2, 4, 5, 6}}}) {
    const auto sentences = RunOnThreads(3, seconds(5), [&](TestRank& self) {
      const auto comm = MakeCommunicator("threads", self.settings);
      MemoryLedger ledger;
      const Buffer buffer = Buffer::OfCommunicator(*comm, 64, MemoryKind::kParameter, ledger);
      auto* memory = buffer.as<void>();
      const auto stream = self.device.MakeStream(StreamRole::kCommunication);
      comm->AllGather(memory, memory, cuts, 4, *stream, "parameters");
    });
    for (const auto& sentence : sentences) EXPECT_EQ(sentence.find("cuts of a collective: expected"), 0u) << sentence;
  }
}

TEST(Calls, RefuseFoldsOverOtherRanksAndMemoryThatIsNotShared) {
  const auto sentence = [](const Fold& fold, WireType wire, bool shared, bool in_place) {
    return RunOnThreads(2, seconds(5), [&](TestRank& self) {
      const auto comm = MakeCommunicator("threads", self.settings);
      MemoryLedger ledger;
      const Buffer buffer = Buffer::OfCommunicator(*comm, 64, MemoryKind::kGradient, ledger);
      auto* memory = buffer.as<float>();
      float own[2];
      float* full = shared ? memory : own;
      const auto stream = self.device.MakeStream(StreamRole::kCommunication);
      comm->ReduceScatter(in_place ? full : own, full, {{0, 1, 2}}, {fold, 1}, wire, *stream, "gradients");
    })[0];
  };
  const Fold good = RankFold(2, 1);
  EXPECT_EQ(sentence(good, WireType::kFp32, true, true), "");
  EXPECT_NE(sentence(RankFold(3, 1), WireType::kFp32, true, true).find("one leaf per rank"), std::string::npos);
  EXPECT_NE(sentence(Fold{}, WireType::kFp32, true, true).find("no sum of nothing"), std::string::npos);
  EXPECT_NE(sentence(good, WireType::kFp32, false, true).find("not from Communicator::Allocate"), std::string::npos);
  EXPECT_NE(sentence(good, WireType::kBf16, true, true).find("expected `out` apart"), std::string::npos);
}

TEST(Calls, WithDifferentMemoryOnDifferentRanksAreNamed) {
  const auto sentences = RunOnThreads(3, seconds(5), [](TestRank& self) {
    const auto comm = MakeCommunicator("threads", self.settings);
    MemoryLedger ledger;
    const Buffer first = Buffer::OfCommunicator(*comm, 64, MemoryKind::kParameter, ledger);
    const Buffer second = Buffer::OfCommunicator(*comm, 64, MemoryKind::kParameter, ledger);
    auto* memory = (self.rank == 1 ? second : first).as<void>();
    const auto stream = self.device.MakeStream(StreamRole::kCommunication);
    comm->AllGather(memory, memory, {{0, 1, 2, 3}}, 4, *stream, "parameters");
  });
  EXPECT_EQ(sentences[0],
            "all_gather #4 (parameters): rank 1 gave memory of allocation 2, rank 0 of allocation 1; expected the same "
            "call on every rank");
}

TEST(Calls, HoldStagingOnlyForBf16WhereMemoryIsShared) {
  ExpectAllWell(RunOnThreads(3, seconds(5), [](TestRank& self) {
    const auto comm = MakeCommunicator("threads", self.settings);
    MemoryLedger ledger;
    const Buffer buffer = Buffer::OfCommunicator(*comm, 64, MemoryKind::kGradient, ledger);
    auto* full = buffer.as<float>();
    const auto stream = self.device.MakeStream(StreamRole::kCommunication);
    float out[4];
    comm->ReduceScatter(full, full, {{0, 4, 8, 12}}, {RankFold(3, 1), 1}, WireType::kFp32, *stream, "gradients");
    if (comm->staging_bytes() != 0) throw std::runtime_error("fp32 was staged");
    comm->ReduceScatter(out, full, {{0, 4, 8, 12}}, {RankFold(3, 1), 1}, WireType::kBf16, *stream, "gradients");
    if (comm->staging_bytes() != 3 * 4 * 4) throw std::runtime_error("staging is not one row of floats per rank");
  }));
}

TEST(Waits, NameTheMissingRankWhenTheDeadlineRunsOut) {
  std::latch others_gave_up(2);
  const auto sentences = RunOnThreads(3, milliseconds(500), [&](TestRank& self) {
    const auto comm = MakeCommunicator("threads", self.settings);
    BarrierWithoutRank1(*comm, others_gave_up);
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

TEST(Waits, AreNotServedWhenACallOfAnotherRankFailed) {
  const auto sentences = RunOnThreads(3, seconds(30), [](TestRank& self) {
    if (self.rank == 1) {
      self.settings.progress = [](const char* operation, const char*) {
        if (std::string(operation) == "all_gather") throw std::runtime_error("its own trouble");
      };
    }
    const auto comm = MakeCommunicator("threads", self.settings);
    MemoryLedger ledger;
    const Buffer buffer = Buffer::OfCommunicator(*comm, 12, MemoryKind::kParameter, ledger);
    auto* memory = buffer.as<void>();
    LateStream stream;
    comm->AllGather(memory, memory, {{0, 1, 2, 3}}, 4, stream, "parameters");
    const auto started = std::chrono::steady_clock::now();
    try {
      stream.Synchronize();
    } catch (const std::exception& error) {
      if (self.rank == 1) std::this_thread::sleep_for(seconds(2));  // it does not close its end soon
      const bool soon = std::chrono::steady_clock::now() - started < seconds(1);
      throw std::runtime_error(std::string(soon ? "soon: " : "late: ") + error.what());
    }
  });
  EXPECT_EQ(sentences[0].find("soon: all_gather #3 (parameters): waited"), 0u) << sentences[0];
  EXPECT_NE(sentences[0].find("; gave up 1"), std::string::npos) << sentences[0];
  EXPECT_EQ(sentences[1], "late: its own trouble");
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

TEST(Backends, AnAbsentMpiSaysSo) {
  if (HasMpi()) GTEST_SKIP() << "this build has MPI";
  for (const std::string backend : {"mpi", "shm+mpi"}) {
    const auto sentences =
        RunOnThreads(1, seconds(1), [&](TestRank& self) { MakeCommunicator(backend, self.settings); });
    EXPECT_EQ(sentences[0].find("backend " + backend + " is not in this build"), 0u) << sentences[0];
  }
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
}  // namespace zerocts::engine
