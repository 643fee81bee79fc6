// What the communicator nccl does when all is well.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "impl/comm/buffer.hpp"
#include "impl/comm/for_test/device_bodies.hpp"
#include "impl/comm/for_test/group_bodies.hpp"
#include "impl/comm/for_test/late_stream.hpp"
#include "impl/comm/for_test/nccl_ranks.hpp"
#include "impl/comm/for_test/rank_bodies.hpp"
#include "impl/comm/nccl/library.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::seconds;

class NcclOfEverySize : public Nccl, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, NcclOfEverySize, testing::Values(1, 2, 3, 4, 6));

TEST_P(NcclOfEverySize, DoesOnThreadsWhatEveryBackendDoes) {
  ExpectAllWell(OnThreads(GetParam(), seconds(60), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    CheckCollectives(*comm);
    CheckNobodyOvertakes(*comm, *self.device.MakeStream(StreamRole::kCommunication));
  }));
}

TEST_P(NcclOfEverySize, DoesInProcessesWhatEveryBackendDoes) {
  ExpectAllWell(OnProcesses(GetParam(), seconds(60), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    CheckCollectives(*comm);
    CheckNobodyOvertakes(*comm, *self.device.MakeStream(StreamRole::kCommunication));
  }));
}

TEST_P(NcclOfEverySize, AddsByItselfInTheOrderOfTheRing) {
  ExpectAllWell(OnProcesses(GetParam(), seconds(60), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl-native", self.settings);
    if (comm->traffic().reduce_scatter.calls != 0) throw std::runtime_error("the probe is in the account");
    CheckSumsInRingOrder(*comm);
  }));
}

TEST_F(Nccl, GroupsOfAMeshWorkSideBySide) {
  ExpectAllWell(OnThreads(6, seconds(60), [](TestRank& self) { CheckGroupsOfAMesh("nccl", self.settings); }));
  EXPECT_EQ(seen_.splits, 12);  // rows and columns were cut out of a communicator of all ranks
  ExpectAllWell(OnProcesses(6, seconds(60), [](TestRank& self) { CheckGroupsOfAMesh("nccl", self.settings); }));
  ExpectAllWell(OnProcesses(3, seconds(60), [](TestRank& self) { CheckTwins("nccl", self.settings); }));
}

TEST_F(Nccl, PartsThatAreLongerThanAChunkAreWhole) {
  constexpr int64_t kPart = 700001;  // elements; three chunks of a MiB
  ExpectAllWell(OnThreads(2, seconds(60), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    auto* full = static_cast<float*>(comm->Allocate(2 * kPart * 4, MemoryKind::kGradient));
    for (int64_t i = 0; i < 2 * kPart; ++i) full[i] = static_cast<float>(i % 1000 + self.rank);
    LateStream stream;
    comm->ReduceScatter(full, full, {{0, kPart, 2 * kPart}}, {RankFold(2, 1), 1}, WireType::kFp32, stream, "gradients");
    stream.Synchronize();
    for (int64_t i = self.rank * kPart; i < (self.rank + 1) * kPart; ++i) {
      if (full[i] != static_cast<float>(i % 1000 * 2 + 1)) throw std::runtime_error("a sum is wrong");
    }
    comm->Free(full);
  }));
}

TEST_F(Nccl, WorksOnStreamsOfTheDevice) {
  ExpectAllWell(OnProcesses(3, seconds(60), [](TestRank& self) {
    CheckCollectivesOnDevice(*MakeCommunicator("nccl", self.settings), *self.settings.device);
  }));
  ExpectAllWell(OnProcesses(3, seconds(60), [](TestRank& self) {
    CheckRingSumsOnDevice(*MakeCommunicator("nccl-native", self.settings), *self.settings.device);
  }));
}

TEST_F(Nccl, OneRankDoesWithout) {
  for (const int world_size : {1, 2}) {
    const auto sentences = OnProcesses(world_size, seconds(20), [](TestRank& self) {
      throw std::runtime_error(MakeCommunicator("auto", self.settings)->name());
    });
    EXPECT_EQ(sentences[0], world_size == 1 ? "threads" : "nccl");
  }
}

TEST_F(Nccl, SaysOnceWhichVersionItIs) {
  faults_.version = 22809;
  const auto sentences = OnThreads(2, seconds(20), [](TestRank& self) {
    std::string said;
    self.settings.log = [&](const std::string& sentence) { said += sentence; };
    MakeCommunicator("nccl", self.settings);
    throw std::runtime_error(said);
  });
  EXPECT_TRUE(std::regex_match(sentences[0], std::regex("comm nccl: NCCL [0-9.]+ \\(.*\\), 2 ranks"))) << sentences[0];
  EXPECT_EQ(sentences[1], "");
}

TEST_F(Nccl, TheLibraryOfThisMachineServesWhereThereIsOne) {
  const std::string sentence = OnProcesses(1, seconds(20), [](TestRank&) {
    unsetenv("ZEROCTS_NCCL_LIBRARY");
    throw std::runtime_error(NcclLibrary(NcclLibrary::Candidates()).name());
  })[0];
  if (sentence.find("comm nccl: no libnccl.so.2 could be loaded") == 0) GTEST_SKIP() << sentence;
  EXPECT_TRUE(std::regex_match(sentence, std::regex("NCCL [0-9.]+ \\(.*libnccl.so.2\\)"))) << sentence;
}

TEST_F(Nccl, MemoryThatTheHostCanReachIsRefused) {
  const auto sentences = RunOnThreads(1, seconds(1), [](TestRank& self) { MakeCommunicator("nccl", self.settings); });
  EXPECT_EQ(sentences[0], "comm nccl: needs device cuda, got device host");
}

TEST_F(Nccl, IsChosenForProcessesWithGpus) {
  ExpectAllWell(OnProcesses(2, seconds(20), [](TestRank& self) {
    if (MakeCommunicator("auto", self.settings)->name() != "nccl") throw std::runtime_error("not nccl");
  }));
}

TEST_F(Nccl, AnotherOrderThanTheRingsIsRefusedByAllRanks) {
  faults_.adds_in_rank_order = true;
  const auto sentences =
      OnThreads(3, seconds(20), [](TestRank& self) { MakeCommunicator("nccl-native", self.settings); });
  for (const std::string& sentence : sentences) {
    EXPECT_NE(sentence.find("does not add in the order ring here"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("of the shards of ranks 0,1 of the group are other sums"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("choose nccl_reduce=exact"), std::string::npos) << sentence;
  }
}

TEST_F(Nccl, OtherFoldsThanTheRingsAreRefusedByTheNativeOne) {
  const auto sentences = OnThreads(3, seconds(20), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl-native", self.settings);
    MemoryLedger ledger;
    const Buffer full = Buffer::OfCommunicator(*comm, 36, MemoryKind::kGradient, ledger);
    LateStream stream;
    comm->ReduceScatter(full.as<float>(), full.as<void>(), {{0, 3, 6, 9}}, {RankFold(3, 1), 1}, WireType::kFp32, stream,
                        "gradients");
  });
  EXPECT_EQ(
      sentences[0],
      "comm nccl, nccl_reduce=native: adds in the order ring, every sum in the type on the wire, so ((1+2)+0); got "
      "((0+1)+2); expected reduction order ring, or nccl_reduce=exact");
}

TEST_F(Nccl, AVariableThatContradictsIsRefused) {
  const auto sentences = OnProcesses(1, seconds(1), [](TestRank& self) {
    setenv("NCCL_ALGO", "Tree", 1);
    MakeCommunicator("nccl-native", self.settings);
  });
  EXPECT_EQ(sentences[0], "NCCL_ALGO is \"Tree\" in the environment: nccl_reduce=native needs Ring; unset it");
}

TEST_F(Nccl, RanksThatShareAGpuAreToldApart) {
  ExpectAllWell(OnProcesses(2, seconds(20), [](TestRank& self) {
    self.settings.nccl_shares_gpu = true;
    const auto comm = MakeCommunicator("nccl", self.settings);
    if (std::getenv("NCCL_HOSTID") != "zerocts-rank-" + std::to_string(self.rank)) throw std::runtime_error("one host");
    comm->Barrier("together");
  }));
  const auto sentences = OnThreads(2, seconds(1), [](TestRank& self) {
    self.settings.nccl_shares_gpu = true;
    MakeCommunicator("nccl", self.settings);
  });
  EXPECT_NE(sentences[0].find("expected one process per rank, or comm threads"), std::string::npos) << sentences[0];
}

}  // namespace
}  // namespace zerocts::engine

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("ZEROCTS_NCCL_LIBRARY", zerocts::engine::kNcclStub, 1);
  return RUN_ALL_TESTS();
}
