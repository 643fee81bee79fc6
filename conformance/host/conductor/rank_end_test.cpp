#include "conformance/host/conductor/rank_end.hpp"

#include <gtest/gtest.h>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {
namespace {

const RankEnd kObserved{Ending::kObserved, 0, "observed", 5};
const RankEnd kInternal{Ending::kRefused, ZEROCTS_INTERNAL, "refused step: INTERNAL: x", 1};
const RankEnd kTimeout{Ending::kRefused, ZEROCTS_DEADLINE_EXCEEDED,
                       "refused step: DEADLINE_EXCEEDED: rank 1 did not come", 0};
const RankEnd kKilled{Ending::kCrash, 0, "was killed by signal 9 (SIGKILL)", 2};
const std::vector<std::string> kLastPositions = {"", "pid 7, stands at step 1", ""};

Ending EndingOf(const RankEnds& ends) { return EndOfCase(ends, kLastPositions).ending; }

TEST(EndOfCase, AllAlike) {
  EXPECT_EQ(EndingOf({kObserved, kObserved, kObserved}), Ending::kObserved);
  EXPECT_EQ(EndingOf({kInternal, kInternal, kInternal}), Ending::kRefused);
  EXPECT_EQ(EndingOf({kTimeout, kTimeout}), Ending::kRefused);
  const RankEnd unsupported{Ending::kUnsupported, 0, "stage 3"};
  EXPECT_EQ(EndingOf({unsupported, unsupported}), Ending::kUnsupported);
}

TEST(EndOfCase, TheCauseIsNamedAndNotWhatFollowedFromIt) {
  const CaseEnd refused = EndOfCase({kTimeout, kInternal, kTimeout}, kLastPositions);
  EXPECT_EQ(refused.ending, Ending::kDisagreement);
  EXPECT_EQ(refused.message.rfind("the ranks ended differently: rank 1 refused step: INTERNAL: x, rank 0 refused", 0),
            0u)
      << refused.message;
  const CaseEnd death = EndOfCase({kTimeout, kKilled, kTimeout}, kLastPositions);
  EXPECT_EQ(death.ending, Ending::kCrash);
  EXPECT_EQ(death.message, "rank 1 was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(EndingOf({kInternal, kKilled, std::nullopt}), Ending::kCrash);
}

TEST(EndOfCase, TheFirstDeathIsNamed) {
  RankEnd later = kKilled;
  later.order = 9;
  later.text = "was killed by signal 15 (SIGTERM)";
  EXPECT_EQ(EndOfCase({later, kKilled, later}, kLastPositions).message, "rank 1 was killed by signal 9 (SIGKILL)");
}

TEST(EndOfCase, ExitCodes) {
  const RankEnd zero{Ending::kEarlyExit, 0, "exited with 0", 0}, three{Ending::kCrash, 3, "exited with 3", 1};
  EXPECT_EQ(EndingOf({kObserved, zero, std::nullopt}), Ending::kEarlyExit);
  EXPECT_EQ(EndingOf({kObserved, three, std::nullopt}), Ending::kCrash);
}

TEST(EndOfCase, SilenceIsAHangUnlessAnotherRankRefused) {
  const CaseEnd hang = EndOfCase({kTimeout, std::nullopt, kTimeout}, kLastPositions);
  EXPECT_EQ(hang.ending, Ending::kHang);
  EXPECT_EQ(hang.message, "rank 1 did not answer before the deadline; rank 1: pid 7, stands at step 1");
  EXPECT_EQ(EndingOf({kObserved, std::nullopt, kObserved}), Ending::kHang);
  EXPECT_EQ(EndingOf({kInternal, std::nullopt, kObserved}), Ending::kDisagreement);
}

TEST(EndOfCase, TheRankThatIsMissingComesBeforeThoseThatWait) {
  const CaseEnd hang = EndOfCase(
      {std::nullopt, std::nullopt, std::nullopt},
      {"pid 5, stands at step 1, all_gather", "pid 6, stands at step 1, all_gather", "pid 7, stands at step 0"});
  EXPECT_NE(hang.message.find("deadline; rank 2: pid 7, stands at step 0, rank 0: "), std::string::npos)
      << hang.message;
  const CaseEnd in_open = EndOfCase({std::nullopt, std::nullopt, std::nullopt},
                                    {"pid 5, stands before the first step, in open",
                                     "pid 6, stands before the first step, in open", "pid 7, stands at step 0"});
  EXPECT_NE(in_open.message.find("deadline; rank 2: "), std::string::npos) << in_open.message;
}

TEST(EndOfCase, RanksThatEndDifferentlyDisagree) {
  const CaseEnd end = EndOfCase({kObserved, kInternal, kObserved}, kLastPositions);
  EXPECT_EQ(end.ending, Ending::kDisagreement);
  EXPECT_EQ(end.message,
            "the ranks ended differently: rank 1 refused step: INTERNAL: x, rank 0 observed, rank 2 observed");
}

TEST(EndOfCase, OfManyRanksTheFirstEightAreNamed) {
  const RankEnds nobody(512);
  const CaseEnd hang = EndOfCase(nobody, std::vector<std::string>(512, "stands in step"));
  EXPECT_EQ(hang.message.rfind("ranks 0 to 511 did not answer before the deadline; rank 0: stands in step, ", 0), 0u);
  EXPECT_TRUE(hang.message.ends_with("rank 7: stands in step and 504 more")) << hang.message;
  RankEnds one_refuses(512, kObserved);
  one_refuses[300] = kInternal;
  const CaseEnd disagreement = EndOfCase(one_refuses, std::vector<std::string>(512));
  EXPECT_NE(disagreement.message.find("differently: rank 300 refused step: INTERNAL: x, rank 0 observed, "),
            std::string::npos);
  EXPECT_TRUE(disagreement.message.ends_with("rank 6 observed and 504 more")) << disagreement.message;
}

TEST(RankList, RunsOfManyRanksAreShort) {
  EXPECT_EQ(RankList({3}), "rank 3");
  EXPECT_EQ(RankList({0, 1, 2, 5}), "ranks 0, 1, 2, 5");
  EXPECT_EQ(RankList({7, 0, 1, 2, 3, 4, 5, 6, 8, 9}), "ranks 7, 0, 1, 2, 3, 4, 5, 6, 8, 9");
  EXPECT_EQ(RankList({2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20}), "ranks 2, 10 to 18, 20");
}

TEST(EachRank, OfManyRanksTheFirstEightAreNamed) {
  const auto number = [](int rank) { return std::to_string(rank); };
  EXPECT_EQ(EachRank({}, number), "");
  EXPECT_EQ(EachRank({3, 1}, number), "; rank 3: 3, rank 1: 1");
  EXPECT_EQ(EachRank({9, 8, 7, 6, 5, 4, 3, 2}, number).find("more"), std::string::npos);
  EXPECT_TRUE(EachRank({9, 8, 7, 6, 5, 4, 3, 2, 1}, number).ends_with(", rank 2: 2 and 1 more"));
}

TEST(EndOfCase, ABreachExplainsDeathsAndRefusals) {
  const RankEnd breach{Ending::kBreach, 0, "wrote 4 bytes past the end of its room", 7};
  const CaseEnd end = EndOfCase({kKilled, breach, std::nullopt}, kLastPositions);
  EXPECT_EQ(end.ending, Ending::kBreach);
  EXPECT_EQ(end.message, "rank 1 wrote 4 bytes past the end of its room");
  EXPECT_EQ(EndingOf({kObserved, breach, kInternal}), Ending::kBreach);
}

TEST(EndOfCase, GarbageComesFirst) {
  const RankEnd garbage{Ending::kGarbage, 0, "sent garbage", 7};
  EXPECT_EQ(EndingOf({kKilled, garbage, std::nullopt}), Ending::kGarbage);
}

}  // namespace
}  // namespace zerocts
