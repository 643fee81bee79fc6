#include "conformance/host/rendezvous.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {
namespace {

constexpr uint32_t kLong = 20000, kShort = 30;

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
    got[rank] = end.Get("of " + std::to_string(next), next, kLong).value;
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
      EXPECT_EQ(end.Barrier(kLong).code, ZEROCTS_OK);
      EXPECT_GE(inside, 3 * round);
    }
  });
}

TEST(ThreadRendezvous, BarrierNamesWhoDidNotCome) {
  ThreadRendezvous rendezvous(5);
  OnRanks(rendezvous, 5, [&](int rank, RendezvousClient& end) {
    if (rank == 1 || rank == 3) return;
    const RendezvousOutcome outcome = end.Barrier(kShort);
    EXPECT_EQ(outcome.code, ZEROCTS_DEADLINE_EXCEEDED);
    EXPECT_EQ(outcome.text, "barrier: ranks 1, 3 did not come within 30 ms");
  });
}

TEST(ThreadRendezvous, NobodyWaitsForARankThatHasLeft) {
  ThreadRendezvous rendezvous(3);
  OnRanks(rendezvous, 3, [&](int rank, RendezvousClient& end) {
    if (rank == 1) return rendezvous.Leave(1);
    EXPECT_EQ(end.Barrier(kLong).text, "barrier: rank 1 will not come, its part of the case has ended");
  });
}

TEST(ThreadRendezvous, WrongUseIsSaid) {
  ThreadRendezvous rendezvous(1);
  const auto end = rendezvous.RankEnd(0);
  EXPECT_EQ(end->Put("key", "four").code, ZEROCTS_OK);
  EXPECT_EQ(end->Put("key", "more").code, ZEROCTS_INVALID_ARGUMENT);
  const RendezvousOutcome size = end->Get("key", 3, kShort);
  EXPECT_EQ(size.code, ZEROCTS_INVALID_ARGUMENT);
  EXPECT_EQ(size.text, "get \"key\": expected 3 bytes, but 4 were put");
}

TEST(ThreadRendezvous, KeysLiveForOneCase) {
  ThreadRendezvous rendezvous(2);
  const auto end = rendezvous.RankEnd(0);
  rendezvous.BeginCase(1);
  EXPECT_EQ(end->Put("key", "").code, ZEROCTS_OK);
  rendezvous.BeginCase(2);
  const RendezvousOutcome outcome = end->Get("key", 0, kShort);
  EXPECT_EQ(outcome.code, ZEROCTS_DEADLINE_EXCEEDED);
  EXPECT_EQ(outcome.text, "get \"key\": nobody put it within 30 ms");
}

struct Answered {
  int rank;
  uint64_t request;
  RendezvousOutcome outcome;
};

class Service : public testing::Test {
 protected:
  std::vector<Answered> answers_;
  RendezvousService service_{3, [this](int rank, uint64_t request, const RendezvousOutcome& outcome) {
                               answers_.push_back({rank, request, outcome});
                             }};
};

TEST_F(Service, GetIsAnsweredWhenTheKeyComes) {
  service_.Get(2, 10, "key", 5, kLong);
  EXPECT_TRUE(answers_.empty());
  service_.Put(0, 11, "key", "value");
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[1].rank, 2);
  EXPECT_EQ(answers_[1].request, 10u);
  EXPECT_EQ(answers_[1].outcome.value, "value");
  EXPECT_EQ(service_.NextDeadline(), SteadyTime::max());
}

TEST_F(Service, BarrierIsAnsweredWhenAllHaveCome) {
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(answers_.empty());
    service_.Barrier(rank, rank, kLong);
  }
  EXPECT_EQ(answers_.size(), 3u);
}

TEST_F(Service, WaitsRunOut) {
  service_.Barrier(0, 1, 0);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].outcome.text, "barrier: ranks 1, 2 did not come within 0 ms");
  service_.Get(1, 2, "key", 1, kShort);
  EXPECT_LT(service_.NextDeadline(), std::chrono::steady_clock::now() + std::chrono::milliseconds(kShort + 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(kShort + 1));
  service_.Expire();
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[1].outcome.code, ZEROCTS_DEADLINE_EXCEEDED);
}

TEST_F(Service, ADeathEndsTheWaitForIt) {
  service_.Barrier(0, 1, kLong);
  service_.Leave(2);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_NE(answers_[0].outcome.text.find("rank 2 will not come"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
