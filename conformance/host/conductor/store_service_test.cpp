#include "conformance/host/conductor/store_service.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {
namespace {

constexpr uint32_t kLong = 20000, kShort = 30;

struct Answered {
  int rank;
  uint64_t request;
  StoreOutcome outcome;
};

class Service : public testing::Test {
 protected:
  std::vector<Answered> answers_;
  RunnableClock clock_{[] { return RunnableClock::duration(0); }};
  StoreService service_{3, clock_, [this](int rank, uint64_t request, const StoreOutcome& outcome) {
                          answers_.push_back({rank, request, outcome});
                        }};
};

TEST_F(Service, GetIsAnsweredWhenTheKeyComes) {
  service_.Get(2, 10, "key", 5, kLong);
  EXPECT_TRUE(answers_.empty());
  service_.Set(0, 11, "key", "value");
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[1].rank, 2);
  EXPECT_EQ(answers_[1].request, 10u);
  EXPECT_EQ(answers_[1].outcome.value, "value");
  EXPECT_EQ(service_.NextDeadline(), RunnableTime::max());
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
  EXPECT_LT(service_.NextDeadline(), clock_.Now() + std::chrono::milliseconds(kShort + 1));
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
