// What the communicator nccl says when something is wrong, and when.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <latch>
#include <thread>

#include "impl/comm/buffer.hpp"
#include "impl/comm/for_test/late_stream.hpp"
#include "impl/comm/for_test/nccl_ranks.hpp"
#include "impl/comm/for_test/rank_bodies.hpp"
#include "impl/comm/nccl/library.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

/// A stream whose GPU never comes to an end.
struct NeverIdle : LateStream {
  bool native_handle_is_idle() override { return false; }
};

class NcclFaults : public Nccl {
 protected:
  /// The sentence of the refusal of a library.
  static std::string Refusal(const std::vector<std::string>& candidates) {
    try {
      NcclLibrary library(candidates);
      return "accepted " + library.name();
    } catch (const Unimplemented& refusal) {
      return refusal.what();
    }
  }

  /// What each of three ranks says when one reduce-scatter goes wrong, within three seconds of a deadline of half a
  /// second.
  std::vector<std::string> WithOneCall(const std::function<void(TestRank&)>& before = [](TestRank&) {}) {
    const auto started = Clock::now();
    auto sentences = OnThreads(3, milliseconds(500), [&](TestRank& self) {
      const auto comm = MakeCommunicator("nccl", self.settings);
      MemoryLedger ledger;
      const Buffer full = Buffer::OfCommunicator(*comm, 36, MemoryKind::kGradient, ledger);
      before(self);
      LateStream stream;
      comm->ReduceScatter(full.as<float>(), full.as<float>(), {{0, 3, 6, 9}}, {RankFold(3, 1), 1}, WireType::kFp32,
                          stream, "gradients");
      stream.Synchronize();
    });
    EXPECT_LT(Clock::now() - started, seconds(3));
    return sentences;
  }
};

TEST_F(NcclFaults, LibrariesThatDoNotServeAreRefused) {
  const std::string expected = "; expected NCCL 2.27 or newer, which ZEROCTS_NCCL_LIBRARY can name";
  const std::string nowhere = Refusal({"/nowhere/libnccl.so.2", "/nowhere/else.so"});
  EXPECT_EQ(nowhere.find("comm nccl: no libnccl.so.2 could be loaded (/nowhere/libnccl.so.2: "), 0u) << nowhere;
  EXPECT_NE(nowhere.find("; /nowhere/else.so: "), std::string::npos) << nowhere;
  EXPECT_EQ(Refusal({"libm.so.6"}), "comm nccl: libm.so.6 has no function ncclGetVersion" + expected);
  faults_.version = 22605;
  EXPECT_EQ(Refusal({kNcclStub}), std::string("comm nccl: ") + kNcclStub + " is NCCL 2.26.5" + expected);
  faults_.version = 22700;
  EXPECT_EQ(Refusal({kNcclStub}), std::string("accepted NCCL 2.27.0 (") + kNcclStub + ")");
}

TEST_F(NcclFaults, AVariableNamesTheOnlyCandidate) {
  EXPECT_EQ(NcclLibrary::Candidates(), std::vector<std::string>{kNcclStub});
}

TEST_F(NcclFaults, ARankThatNeverJoinsIsNamed) {
  const auto sentences = OnThreads(3, milliseconds(300), [](TestRank& self) {
    if (self.rank != 1) MakeCommunicator("nccl", self.settings);
  });
  EXPECT_EQ(WithoutSeconds(sentences[0]), "join #1 (nccl): waited; arrived 0; missing 1");
}

TEST_F(NcclFaults, ARankThatHangsInItsJoinIsLearnedOf) {
  faults_.rank = 2;
  faults_.stalls = true;
  const auto started = Clock::now();
  const auto sentences =
      OnThreads(3, milliseconds(500), [](TestRank& self) { MakeCommunicator("nccl", self.settings); });
  EXPECT_LT(Clock::now() - started, seconds(3));
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence.find("join #1 (nccl): waited"), 0u) << sentence;
}

TEST_F(NcclFaults, ARankThatDoesNotComeIsNamedWhenTheDeadlineRunsOut) {
  std::latch others_gave_up(2);
  const auto sentences = OnThreads(3, milliseconds(500), [&](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    BarrierWithoutRank1(*comm, others_gave_up);
  });
  EXPECT_EQ(WithoutHaste(sentences[0]), "barrier #3 (parameters): waited; arrived 0,2; missing 1");
  EXPECT_EQ(WithoutHaste(sentences[2]), WithoutHaste(sentences[0]));
  EXPECT_EQ(sentences[1], "");
}

TEST_F(NcclFaults, ARankThatCameShortlyBeforeTheDeadlineIsNotMissing) {
  const auto sentences = OnThreads(3, milliseconds(500), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    comm->Barrier("start");
    if (self.rank == 1) return std::this_thread::sleep_for(milliseconds(1500));
    if (self.rank == 2) std::this_thread::sleep_for(milliseconds(485));
    comm->Barrier("parameters");
  });
  EXPECT_EQ(WithoutHaste(sentences[0]), "barrier #3 (parameters): waited; arrived 0,2; missing 1");
}

TEST_F(NcclFaults, AProcessThatDoesNotComeIsNamedWithItsRankOfTheWorld) {
  const auto sentences = OnProcesses(6, milliseconds(500), [](TestRank& self) {
    if (self.rank % 2 == 0) return;
    self.settings.group = "odd";
    self.settings.members = {1, 3, 5};
    const auto comm = MakeCommunicator("nccl", self.settings);
    if (self.rank == 3) return std::this_thread::sleep_for(milliseconds(1500));
    comm->Barrier("parameters");
  });
  EXPECT_EQ(WithoutHaste(sentences[1]), "barrier #2 (parameters): waited; arrived 1,5; missing 3");
  EXPECT_EQ(WithoutHaste(sentences[5]), WithoutHaste(sentences[1]));
}

TEST_F(NcclFaults, ARankThatLeftIsNotWaitedFor) {
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

TEST_F(NcclFaults, AHangThatNcclDoesNotSeeHasADeadlineToo) {
  faults_.rank = 1;
  faults_.stalls = faults_.hides_stall = true;
  const auto started = Clock::now();
  const auto sentences = OnThreads(2, milliseconds(500), [](TestRank& self) {
    const auto comm = MakeCommunicator("nccl", self.settings);
    MemoryLedger ledger;
    const Buffer memory = Buffer::OfCommunicator(*comm, 8, MemoryKind::kParameter, ledger);
    NeverIdle stream;
    comm->AllGather(memory.as<void>(), memory.as<void>(), {{0, 1, 2}}, 4, stream, "parameters");
    stream.Synchronize();
  });
  EXPECT_LT(Clock::now() - started, seconds(3));
  for (const std::string& sentence : sentences) {
    EXPECT_EQ(WithoutSeconds(sentence).find("all_gather #2 (parameters): waited; arrived 0,1"), 0u) << sentence;
  }
}

TEST_F(NcclFaults, AnErrorOfACallIsToldInNcclsWords) {
  faults_.rank = 1;
  faults_.call = "ncclSend";
  faults_.code = ncclRemoteError;
  const auto sentences = WithOneCall();
  EXPECT_EQ(sentences[1],
            "reduce_scatter #2 (gradients): ncclSend: remote error (code 6); NCCL says: the stub was told to");
  EXPECT_EQ(sentences[0].find("reduce_scatter #2 (gradients): waited"), 0u) << sentences[0];
  EXPECT_NE(sentences[0].find("gave up 1"), std::string::npos) << sentences[0];
}

TEST_F(NcclFaults, AnErrorThatComesLaterIsToldInNcclsWords) {
  faults_.rank = 2;
  faults_.async_code = ncclRemoteError;
  EXPECT_EQ(WithOneCall()[2],
            "reduce_scatter #2 (gradients): asynchronously: remote error (code 6); NCCL says: the stub was told to");
}

TEST_F(NcclFaults, ACodeThatNobodyKnowsYetIsANumberWithAText) {
  faults_.rank = 0;
  faults_.async_code = 13;
  EXPECT_EQ(WithOneCall()[0],
            "reduce_scatter #2 (gradients): asynchronously: strange error (code 13); NCCL says: the stub was told to");
}

TEST_F(NcclFaults, AnAbortThatHangsIsLeftBehind) {
  faults_.rank = 1;
  faults_.stalls = faults_.abort_hangs = true;
  faults_.hides_stall = true;  // it joins
  const auto started = Clock::now();
  const auto sentences = OnProcesses(2, milliseconds(300), [](TestRank& self) {  // what NCCL may still use is not freed
    const auto comm = MakeCommunicator("nccl", self.settings);
    NeverIdle stream;
    void* memory = comm->Allocate(8, MemoryKind::kParameter);
    comm->AllGather(memory, memory, {{0, 1, 2}}, 4, stream, "parameters");
    stream.Synchronize();
  });
  EXPECT_LT(Clock::now() - started, seconds(9));
  EXPECT_NE(sentences[1].find("all_gather #2 (parameters): waited"), std::string::npos) << sentences[1];
}

}  // namespace
}  // namespace zerocts::engine
