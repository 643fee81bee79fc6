#include "conformance/watch/batch_order.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zerocts::watch {
namespace {

/// A rank is fed batches with these names.
BatchOrder FedWith(const std::string& batches) {
  BatchOrder order;
  for (size_t i = 0; i < batches.size(); ++i)
    order.Take(static_cast<int64_t>(i), {static_cast<uint64_t>(batches[i]), 1});
  return order;
}

TEST(BatchOrder, ThatComesThreeTimesIsSeen) {
  EXPECT_EQ(FedWith("abcdeabcdeabcde").period(), 5);
  EXPECT_EQ(FedWith("aabbccddaabbccddaabbccdd").period(), 8);
  EXPECT_EQ(FedWith("abcdabceabcdabceabcdabce").period(), 8);
  EXPECT_EQ(FedWith("abcdabceabcdabceabcdabce").again(), 24 - 5);
}

TEST(BatchOrder, ThatComesTwiceIsNotEnough) {
  EXPECT_EQ(FedWith("abcdeabcdeabcd").period(), 0);
  EXPECT_EQ(FedWith("abcdeabcde").period(), 0);
}

TEST(BatchOrder, OfFewBatchesIsMeant) {
  EXPECT_EQ(FedWith("aaaaaaaaaaaaaaaa").period(), 0);
  EXPECT_EQ(FedWith("abcabcabcabcabc").period(), 0);
}

TEST(BatchOrder, ThatIsShuffledIsNone) {
  EXPECT_EQ(FedWith("abcdebadceecdabdceab").period(), 0);
  EXPECT_EQ(FedWith("abcdeabcdeabced").period(), 0);
  EXPECT_EQ(FedWith("abcdefghijklmnopqrstuvwxyz").again(), 0);
}

TEST(BatchOrder, IsNotJudgedWhereABatchMisses) {
  BatchOrder order;
  for (int64_t i = 0; i < 30; ++i) order.Take(i < 5 ? i : i + 1, {static_cast<uint64_t>(i % 5)});
  EXPECT_EQ(order.period(), 0);
}

}  // namespace
}  // namespace zerocts::watch
