#include "bench/engine/spans.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

constexpr int64_t kSecond = 1000000000;

TEST(Spans, OfOneNameAreAddedUp) {
  const Spans spans = {
      {"forward", 0, 0, kSecond}, {"backward", 0, kSecond, 2 * kSecond}, {"forward", 1, 3 * kSecond, 5 * kSecond}};
  EXPECT_EQ(SecondsIn(spans, "forward"), 3);
  EXPECT_EQ(SecondsIn(spans, "norm"), 0);
}

TEST(StepParts, AddUpToTheStepAndTellHiddenCommunicationApart) {
  const Spans spans = {{"forward", 0, 0, 4 * kSecond},
                       {"backward", 0, 4 * kSecond, 10 * kSecond},
                       {"all_gather", 0, kSecond, 2 * kSecond},           // beside forward
                       {"reduce_scatter", 0, 9 * kSecond, 13 * kSecond},  // one second of four beside backward
                       {"step", -1, 10 * kSecond, 16 * kSecond},
                       {"norm", -1, 13 * kSecond, 14 * kSecond}};
  const StepParts parts = PartsOf(spans, 17);
  EXPECT_EQ(parts.forward, 4);
  EXPECT_EQ(parts.backward, 6);
  EXPECT_EQ(parts.hidden, 2);
  EXPECT_EQ(parts.communication, 3);
  EXPECT_EQ(parts.rest, 4);
}

TEST(StepParts, CountAnotherMomentOfTheSameCollectiveOnce) {
  const Spans spans = {
      {"backward", 1, 0, kSecond}, {"backward", 0, 2 * kSecond, 3 * kSecond}, {"all_reduce", 0, 0, 3 * kSecond}};
  const StepParts parts = PartsOf(spans, 3);
  EXPECT_EQ(parts.hidden, 2);
  EXPECT_EQ(parts.communication, 1) << "between the two backwards";
}

TEST(StepParts, CountMomentsOfSeveralCollectivesOnce) {
  const Spans spans = {{"backward", 0, 0, 2 * kSecond},
                       {"reduce_scatter", 2, kSecond, 3 * kSecond},
                       {"reduce_scatter", 1, kSecond, 4 * kSecond},  // it waits for the one before
                       {"all_gather", 0, 6 * kSecond, 7 * kSecond}};
  const StepParts parts = PartsOf(spans, 8);
  EXPECT_EQ(parts.hidden, 1);
  EXPECT_EQ(parts.communication, 3);
  EXPECT_EQ(parts.rest, 3);
}

}  // namespace
}  // namespace zerocts
