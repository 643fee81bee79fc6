// The communicator nccl against a libnccl of our own (nccl_stub_for_test.hpp).
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <latch>
#include <regex>
#include <thread>

#include "impl/comm/backends.hpp"
#include "impl/comm/device_bodies_for_test.hpp"
#include "impl/comm/device_out_of_reach_for_test.hpp"
#include "impl/comm/late_stream_for_test.hpp"
#include "impl/comm/nccl_library.hpp"
#include "impl/comm/nccl_stub_for_test.hpp"
#include "impl/comm/rank_bodies_for_test.hpp"
#include "impl/comm/ranks_for_test.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kStub = NCCL_STUB;

/// A body with the stub as its NCCL and a device that looks like a GPU.
RankBody OnGpus(const RankBody& body) {
  return [=](TestRank& self) {
    DeviceOutOfReach gpu(self.device);
    self.settings.device = &gpu;
    body(self);
  };
}
std::vector<std::string> OnThreads(int world_size, milliseconds deadline, const RankBody& body) {
  return RunOnThreads(world_size, deadline, OnGpus(body));
}
std::vector<std::string> OnProcesses(int world_size, milliseconds deadline, const RankBody& body) {
  return RunOnProcesses(world_size, deadline, OnGpus(body));
}

void ExpectAllWell(const std::vector<std::string>& sentences) {
  for (size_t rank = 0; rank < sentences.size(); ++rank) EXPECT_EQ(sentences[rank], "") << "rank " << rank;
}

std::string WithoutSeconds(const std::string& sentence) {
  return std::regex_replace(sentence, std::regex("waited [0-9.]+ s"), "waited");
}

class Nccl : public testing::Test {
 protected:
  void TearDown() override { faults_ = {}; }

  NcclStubFaults& faults_ = *reinterpret_cast<NcclStubFaultsOf*>(
      dlsym(dlopen(kStub, RTLD_NOW | RTLD_LOCAL), kNcclStubFaultsOf))();

  /// The sentence of the refusal of a library.
  static std::string Refusal(const std::vector<std::string>& candidates) {
    try {
      NcclLibrary library(candidates);
      return "accepted " + library.name();
    } catch (const Unimplemented& refusal) {
      return refusal.what();
    }
  }

  /// What each of three ranks says when one reduce-scatter goes wrong, within three seconds of a deadline of half a second.
  std::vector<std::string> WithOneCall(const std::function<void(TestRank&)>& before = [](TestRank&) {}) {
    const auto started = Clock::now();
    auto sentences = OnThreads(3, milliseconds(500), [&](TestRank& self) {
      const auto comm = MakeCommunicator("nccl", self.settings);
      auto* full = static_cast<float*>(comm->Allocate(36, MemoryKind::kGradient));
      before(self);
      LateStream stream;
      comm->ReduceScatter(full, full, {{0, 3, 6, 9}}, {RankFold(3, 1), 1}, WireType::kFp32, stream, "gradients");
      stream.Synchronize();
    });
    EXPECT_LT(Clock::now() - started, seconds(3));
    return sentences;
  }
};

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

TEST_F(Nccl, LibrariesThatDoNotServeAreRefused) {
  const std::string expected = "; expected NCCL 2.27 or newer, which ZEROCTS_NCCL_LIBRARY can name";
  const std::string nowhere = Refusal({"/nowhere/libnccl.so.2", "/nowhere/else.so"});
  EXPECT_EQ(nowhere.find("comm nccl: no libnccl.so.2 could be loaded (/nowhere/libnccl.so.2: "), 0u) << nowhere;
  EXPECT_NE(nowhere.find("; /nowhere/else.so: "), std::string::npos) << nowhere;
  EXPECT_EQ(Refusal({"libm.so.6"}), "comm nccl: libm.so.6 has no function ncclGetVersion" + expected);
  faults_.version = 22605;
  EXPECT_EQ(Refusal({kStub}), std::string("comm nccl: ") + kStub + " is NCCL 2.26.5" + expected);
  faults_.version = 22700;
  EXPECT_EQ(Refusal({kStub}), std::string("accepted NCCL 2.27.0 (") + kStub + ")");
}

TEST_F(Nccl, AVariableNamesTheOnlyCandidate) {
  EXPECT_EQ(NcclLibrary::Candidates(), std::vector<std::string>{kStub});
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

TEST_F(Nccl, ARankThatNeverJoinsIsNamed) {
  const auto sentences = OnThreads(3, milliseconds(300), [](TestRank& self) {
    if (self.rank != 1) MakeCommunicator("nccl", self.settings);
  });
  EXPECT_EQ(WithoutSeconds(sentences[0]), "join #1 (nccl): waited; arrived 0; missing 1");
}

TEST_F(Nccl, ARankThatHangsInItsJoinIsLearnedOf) {
  faults_.rank = 2;
  faults_.stalls = true;
  const auto started = Clock::now();
  const auto sentences = OnThreads(3, milliseconds(500), [](TestRank& self) { MakeCommunicator("nccl", self.settings); });
  EXPECT_LT(Clock::now() - started, seconds(3));
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence.find("join #1 (nccl): waited"), 0u) << sentence;
}

TEST_F(Nccl, ARankThatDoesNotComeIsNamedWhenTheDeadlineRunsOut) {
  std::latch others_gave_up(2);
  const auto sentences = OnThreads(3, milliseconds(500), [&](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
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

TEST_F(Nccl, AProcessThatDoesNotComeIsNamedWithItsRankOfTheWorld) {
  const auto sentences = OnProcesses(6, milliseconds(500), [](TestRank& self) {
    if (self.rank % 2 == 0) return;
    self.settings.group = "odd";
    self.settings.members = {1, 3, 5};
    const auto comm = MakeCommunicator("nccl", self.settings);
    if (self.rank == 3) return std::this_thread::sleep_for(milliseconds(1500));
    comm->Barrier("parameters");
  });
  EXPECT_EQ(WithoutSeconds(sentences[1]), "barrier #2 (parameters): waited; arrived 1,5; missing 3");
  EXPECT_EQ(WithoutSeconds(sentences[5]), WithoutSeconds(sentences[1]));
}

TEST_F(Nccl, ARankThatLeftIsNotWaitedFor) {
  const auto started = Clock::now();
  const auto sentences = OnThreads(3, seconds(30), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    if (self.rank == 1) throw std::runtime_error("its own trouble");
    comm->Barrier("parameters");
  });
  EXPECT_LT(Clock::now() - started, seconds(5));
  EXPECT_EQ(WithoutSeconds(sentences[0]).find("barrier #2 (parameters): waited; arrived 0"), 0u) << sentences[0];
  EXPECT_NE(sentences[0].find("; gave up 1"), std::string::npos) << sentences[0];
}

TEST_F(Nccl, AHangThatNcclDoesNotSeeHasADeadlineToo) {
  faults_.rank = 1;
  faults_.stalls = faults_.hides_stall = true;
  struct NeverIdle : LateStream {
    bool native_handle_is_idle() override { return false; }
  };
  const auto started = Clock::now();
  const auto sentences = OnThreads(2, milliseconds(500), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    void* memory = comm->Allocate(8, MemoryKind::kParameter);
    NeverIdle stream;
    comm->AllGather(memory, memory, {{0, 1, 2}}, 4, stream, "parameters");
    stream.Synchronize();
  });
  EXPECT_LT(Clock::now() - started, seconds(3));
  for (const std::string& sentence : sentences) {
    EXPECT_EQ(WithoutSeconds(sentence).find("all_gather #2 (parameters): waited; arrived 0,1"), 0u) << sentence;
  }
}

TEST_F(Nccl, AnErrorOfACallIsToldInNcclsWords) {
  faults_.rank = 1;
  faults_.call = "ncclSend";
  faults_.code = ncclRemoteError;
  const auto sentences = WithOneCall();
  EXPECT_EQ(sentences[1], "reduce_scatter #2 (gradients): ncclSend: remote error (code 6); NCCL says: the stub was told to");
  EXPECT_EQ(sentences[0].find("reduce_scatter #2 (gradients): waited"), 0u) << sentences[0];
  EXPECT_NE(sentences[0].find("gave up 1"), std::string::npos) << sentences[0];
}

TEST_F(Nccl, AnErrorThatComesLaterIsToldInNcclsWords) {
  faults_.rank = 2;
  faults_.async_code = ncclRemoteError;
  EXPECT_EQ(WithOneCall()[2],
            "reduce_scatter #2 (gradients): asynchronously: remote error (code 6); NCCL says: the stub was told to");
}

TEST_F(Nccl, ACodeThatNobodyKnowsYetIsANumberWithAText) {
  faults_.rank = 0;
  faults_.async_code = 1234;
  EXPECT_EQ(WithOneCall()[0],
            "reduce_scatter #2 (gradients): asynchronously: strange error (code 1234); NCCL says: the stub was told to");
}

TEST_F(Nccl, AnAbortThatHangsIsLeftBehind) {
  faults_.rank = 1;
  faults_.stalls = faults_.abort_hangs = true;
  faults_.hides_stall = true;  // it joins
  const auto started = Clock::now();
  const auto sentences = OnThreads(2, milliseconds(300), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    struct NeverIdle : LateStream {
      bool native_handle_is_idle() override { return false; }
    } stream;
    void* memory = comm->Allocate(8, MemoryKind::kParameter);
    comm->AllGather(memory, memory, {{0, 1, 2}}, 4, stream, "parameters");
    stream.Synchronize();
  });
  EXPECT_LT(Clock::now() - started, seconds(9));
  EXPECT_NE(sentences[1].find("all_gather #2 (parameters): waited"), std::string::npos) << sentences[1];
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
    void* full = comm->Allocate(36, MemoryKind::kGradient);
    LateStream stream;
    comm->ReduceScatter(static_cast<float*>(full), full, {{0, 3, 6, 9}}, {RankFold(3, 1), 1}, WireType::kFp32, stream,
                        "gradients");
  });
  EXPECT_EQ(sentences[0],
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
}  // namespace zerocts

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("ZEROCTS_NCCL_LIBRARY", zerocts::kStub, 1);
  return RUN_ALL_TESTS();
}
