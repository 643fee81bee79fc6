#include <gtest/gtest.h>

#include "conformance/check/perfect_observation.hpp"
#include "conformance/check/test_cases.hpp"
#include "conformance/check/verdict.hpp"

namespace zerocts {
namespace {

/// SmallCase has shards w1 | scale, w2[0, 3) | w2[3, 6).
template <typename Change>
std::string SentenceWith(Change change, int stage = 1) {
  Case c = SmallCase();
  c.stage = stage;
  std::vector<RankObservation> ranks = PerfectObservation(c);
  change(ranks);
  const auto finding = CheckTiling(c, ranks);
  return finding ? finding->sentence : "nothing";
}

TEST(Tiling, EveryElementOnce) {
  using Ranks = std::vector<RankObservation>;
  EXPECT_EQ(SentenceWith([](Ranks&) {}), "nothing");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) {
              ranks[1].owned[3] = {{0, 2}};
            }),
            "elements [2, 3) of w2 are not owned by any rank: expected all of its 6 elements");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) { ranks[2].owned[3].clear(); }),
            "elements [3, 6) of w2 are not owned by any rank: expected all of its 6 elements");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) { ranks[1].owned[2].clear(); }),
            "elements [0, 1) of scale are not owned by any rank: expected all of its 1 elements");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) {
              ranks[1].owned[3] = {{0, 4}};
            }),
            "elements [3, 4) of w2 are owned by ranks 1 and 2: expected one owner");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) {
              ranks[2].owned[0] = {{1, 2}};
            }),
            "elements [1, 2) of w1 are owned by ranks 0 and 2: expected one owner");
}

TEST(Tiling, IntervalsAreWellFormed) {
  using Ranks = std::vector<RankObservation>;
  EXPECT_EQ(SentenceWith([](Ranks& ranks) {
              ranks[2].owned[3] = {{3, 7}};
            }),
            "rank 2 owns [3, 7) of w2: expected intervals inside its 6 elements");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) {
              ranks[2].owned[3] = {{-1, 6}};
            }),
            "rank 2 owns [-1, 6) of w2: expected intervals inside its 6 elements");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) {
              ranks[0].owned[1] = {{0, 0}};
            }),
            "rank 0 owns [0, 0) of none: expected no empty interval");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) {
              ranks[2].owned[3] = {{4, 6}, {3, 4}};
            }),
            "rank 2 owns [3, 4) of w2 after an interval that ends at 6: expected ascending intervals without overlap");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) { ranks[1].owned.pop_back(); }),
            "rank 1 tells what it owns of 3 parameters: expected 4");
}

TEST(Tiling, AnyLayoutThatTilesIsRight) {
  EXPECT_EQ(SentenceWith([](std::vector<RankObservation>& ranks) {
              ranks[0].owned = {{{1, 2}}, {}, {}, {{0, 1}, {2, 3}, {4, 5}}};
              ranks[1].owned = {{{2, 3}, {3, 4}}, {}, {}, {{1, 2}, {3, 4}, {5, 6}}};
              ranks[2].owned = {{{0, 1}}, {}, {{0, 1}}, {}};
            }),
            "nothing");
}

TEST(Tiling, InStageZeroEveryRankOwnsAll) {
  using Ranks = std::vector<RankObservation>;
  EXPECT_EQ(SentenceWith([](Ranks&) {}, 0), "nothing");
  EXPECT_EQ(SentenceWith([](Ranks& ranks) { ranks[1].owned[0] = {{0, 1}, {1, 4}}; }, 0), "nothing");
  EXPECT_EQ(SentenceWith(
                [](Ranks& ranks) {
                  ranks[1].owned[0] = {{0, 3}};
                },
                0),
            "elements [3, 4) of w1 are not owned by rank 1 in stage 0: expected all of its 4 elements");
}

}  // namespace
}  // namespace zerocts
