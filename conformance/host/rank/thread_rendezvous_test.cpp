#include "conformance/host/rank/thread_rendezvous.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {
namespace {

constexpr uint32_t kLongMs = 20000, kShortMs = 30;

/// `body(rank, its end)` on W threads.
template <typename Body>
void OnRanks(ThreadRendezvous& rendezvous, int world_size, Body body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      rendezvous.BeginCase(1);
      body(rank, *rendezvous.RankEnd(rank));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadRendezvous, EveryRankGetsWhatAnotherPut) {
  ThreadRendezvous rendezvous(3);
  std::string got[3];
  OnRanks(rendezvous, 3, [&](int rank, RendezvousClient& end) {
    EXPECT_EQ(end.Put("of " + std::to_string(rank), std::string(rank, 'x')).code, ZEROCTS_OK);
    const int next = (rank + 1) % 3;
    got[rank] = end.Get("of " + std::to_string(next), next, kLongMs).value;
  });
  EXPECT_EQ(got[0], "x");
  EXPECT_EQ(got[1], "xx");
  EXPECT_EQ(got[2], "");
}

TEST(ThreadRendezvous, BarriersPassTogether) {
  ThreadRendezvous rendezvous(3);
  std::atomic<int> inside{0};
  OnRanks(rendezvous, 3, [&](int, RendezvousClient& end) {
    for (int round = 1; round <= 100; ++round) {
      ++inside;
      EXPECT_EQ(end.Barrier(kLongMs).code, ZEROCTS_OK);
      EXPECT_GE(inside, 3 * round);
    }
  });
}

TEST(ThreadRendezvous, BarrierNamesWhoDidNotCome) {
  ThreadRendezvous rendezvous(5);
  OnRanks(rendezvous, 5, [&](int rank, RendezvousClient& end) {
    if (rank == 1 || rank == 3) return;
    const RendezvousOutcome outcome = end.Barrier(kShortMs);
    EXPECT_EQ(outcome.code, ZEROCTS_DEADLINE_EXCEEDED);
    EXPECT_TRUE(outcome.text.starts_with("barrier: ranks 1, 3 did not come within 30 ms")) << outcome.text;
  });
}

TEST(ThreadRendezvous, NobodyWaitsForARankThatHasLeft) {
  ThreadRendezvous rendezvous(3);
  OnRanks(rendezvous, 3, [&](int rank, RendezvousClient& end) {
    if (rank == 1) return rendezvous.Leave(1);
    EXPECT_EQ(end.Barrier(kLongMs).text, "barrier: rank 1 will not come, its part of the case has ended");
  });
}

TEST(ThreadRendezvous, WrongUseIsSaid) {
  ThreadRendezvous rendezvous(1);
  const auto end = rendezvous.RankEnd(0);
  EXPECT_EQ(end->Put("key", "four").code, ZEROCTS_OK);
  EXPECT_EQ(end->Put("key", "more").code, ZEROCTS_INVALID_ARGUMENT);
  const RendezvousOutcome size = end->Get("key", 3, kShortMs);
  EXPECT_EQ(size.code, ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(size.text, "get \"key\": expected 3 bytes, but 4 were put");
}

TEST(ThreadRendezvous, KeysLiveForOneCase) {
  ThreadRendezvous rendezvous(2);
  const auto end = rendezvous.RankEnd(0);
  rendezvous.BeginCase(1);
  EXPECT_EQ(end->Put("key", "").code, ZEROCTS_OK);
  rendezvous.BeginCase(2);
  const RendezvousOutcome outcome = end->Get("key", 0, kShortMs);
  EXPECT_EQ(outcome.code, ZEROCTS_DEADLINE_EXCEEDED);
  EXPECT_TRUE(outcome.text.starts_with("get \"key\": nobody put it within 30 ms")) << outcome.text;
}

}  // namespace
}  // namespace zerocts
