#include "conformance/host/rank/thread_store.hpp"

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
void OnRanks(ThreadStore& store, int world_size, Body body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      store.BeginCase(1);
      body(rank, *store.RankEnd(rank));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadStore, EveryRankGetsWhatAnotherSet) {
  ThreadStore store(3);
  std::string got[3];
  OnRanks(store, 3, [&](int rank, StoreClient& end) {
    EXPECT_EQ(end.Set("of " + std::to_string(rank), std::string(rank, 'x')).code, ZEROCTS_OK);
    const int next = (rank + 1) % 3;
    got[rank] = end.Get("of " + std::to_string(next), next, kLongMs).value;
  });
  EXPECT_EQ(got[0], "x");
  EXPECT_EQ(got[1], "xx");
  EXPECT_EQ(got[2], "");
}

TEST(ThreadStore, BarriersPassTogether) {
  ThreadStore store(3);
  std::atomic<int> inside{0};
  OnRanks(store, 3, [&](int, StoreClient& end) {
    for (int round = 1; round <= 100; ++round) {
      ++inside;
      EXPECT_EQ(end.Barrier(kLongMs).code, ZEROCTS_OK);
      EXPECT_GE(inside, 3 * round);
    }
  });
}

TEST(ThreadStore, BarrierNamesWhoDidNotCome) {
  ThreadStore store(5);
  OnRanks(store, 5, [&](int rank, StoreClient& end) {
    if (rank == 1 || rank == 3) return;
    const StoreOutcome outcome = end.Barrier(kShortMs);
    EXPECT_EQ(outcome.code, ZEROCTS_DEADLINE_EXCEEDED);
    EXPECT_TRUE(outcome.text.starts_with("barrier: ranks 1, 3 did not come within 30 ms")) << outcome.text;
  });
}

TEST(ThreadStore, NobodyWaitsForARankThatHasLeft) {
  ThreadStore store(3);
  OnRanks(store, 3, [&](int rank, StoreClient& end) {
    if (rank == 1) return store.Leave(1);
    EXPECT_EQ(end.Barrier(kLongMs).text, "barrier: rank 1 will not come, its part of the case has ended");
  });
}

TEST(ThreadStore, WrongUseIsSaid) {
  ThreadStore store(1);
  const auto end = store.RankEnd(0);
  EXPECT_EQ(end->Set("key", "four").code, ZEROCTS_OK);
  EXPECT_EQ(end->Set("key", "more").code, ZEROCTS_INVALID_ARGUMENT);
  const StoreOutcome size = end->Get("key", 3, kShortMs);
  EXPECT_EQ(size.code, ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(size.text, "get \"key\": expected 3 bytes, but 4 were set");
}

TEST(ThreadStore, KeysLiveForOneCase) {
  ThreadStore store(2);
  const auto end = store.RankEnd(0);
  store.BeginCase(1);
  EXPECT_EQ(end->Set("key", "").code, ZEROCTS_OK);
  store.BeginCase(2);
  const StoreOutcome outcome = end->Get("key", 0, kShortMs);
  EXPECT_EQ(outcome.code, ZEROCTS_DEADLINE_EXCEEDED);
  EXPECT_TRUE(outcome.text.starts_with("get \"key\": nobody set it within 30 ms")) << outcome.text;
}

}  // namespace
}  // namespace zerocts
