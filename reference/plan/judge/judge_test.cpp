// The judge against plans by hand: one that breaks each property, alone where that is possible.
#include "reference/plan/judge/judge.hpp"

#include <gtest/gtest.h>

#include "reference/plan/for_test/plans.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts::plan {
namespace {

constexpr int64_t kBehind = Interval::kBehindTheLast;

/// The one broken property in a sentence, "sound", or all of them.
std::string Judged(const Plan& plan) {
  EXPECT_EQ(Problem(plan), "");
  const Verdict verdict = Judge(plan);
  std::string text;
  for (const Violation& first : verdict.firsts) text += (text.empty() ? "" : "; ") + ToString(first);
  return text.empty() ? "sound" : text;
}

AffinePiece Piece(int shard, int64_t begin, int64_t end, int64_t at, std::vector<int32_t> locations, double scale = 1) {
  return {shard, {end - begin}, begin, at, {1}, {1}, std::move(locations), scale};
}

TEST(Judge, AcceptsEveryRule) {
  const Model model = TensorsOf({{7, 3}, {}, {0}, {4}, {2, 5, 3}});
  for (const int shards : {1, 2, 3, 5, 8}) {
    EXPECT_EQ(Judged(DividedBy(Each(Even{}), shards, model)), "sound");
    EXPECT_EQ(Judged(DividedBy(Flat(Even{}), shards, model)), "sound");
    EXPECT_EQ(Judged(DividedBy(Each(Ceil{}), shards, model)), "sound");
    EXPECT_EQ(Judged(DividedBy(Flat(Ceil{}), shards, model)), "sound");
    EXPECT_EQ(Judged(DividedBy(Each(Rows{}), shards, model)), "sound");
    EXPECT_EQ(Judged(DividedBy(Each(Rows{.dimension = 1}), shards, model)), "sound");
    EXPECT_EQ(Judged(DividedBy(Each(BlockCyclic{2}), shards, model)), "sound");
    EXPECT_EQ(Judged(DividedBy(Flat(BlockCyclic{4}), shards, model)), "sound");
    EXPECT_EQ(Judged(DividedBy(Each(Owners{{0, 0, 0, 0, 0}}), shards, model)), "sound");
  }
}

TEST(Judge, FindsATailThatNobodyHolds) {
  EXPECT_EQ(Judged(DividedBy(Each(Ceil{.part = 3}), 3, TensorsOf({{4}, {10}}))),
            "P1 coverage: parameters of p1, element 9: nobody holds it: parts end at 9 of 10 elements");
  Division rows = Each(Rows{.dimension = 1, .part = 1});
  EXPECT_EQ(Judged(DividedBy(rows, 2, TensorsOf({{2, 3}}))),
            "P1 coverage: parameters of p0, element 2: nobody holds it: parts end at 2 of 6 elements");
}

TEST(Judge, FindsATensorThatIsInNoDivision) {
  Division division = Each(Even{});
  division.tensors = {{0, 1}};
  EXPECT_EQ(Judged(DividedBy(division, 2, TensorsOf({{4}, {4}}))),
            "P1 coverage: parameters of p1, element 0: no division has this parameter: nobody holds it");
}

TEST(Judge, FindsGapsAndOverlapsOfIntervals) {
  const Model model = TensorsOf({{4}, {4}});
  const auto judged = [&](std::vector<Interval> intervals) {
    return Judged(DividedBy(Flat(Intervals{std::move(intervals)}), 2, model));
  };
  EXPECT_EQ(judged({{4, 8, kBehind, 1}, {0, 4, kBehind, 0}}), "sound");
  EXPECT_EQ(judged({{6, 8, kBehind, 1}, {0, 5, kBehind, 0}}),
            "P1 coverage: parameters of p1, element 1: nobody holds [1, 2)");
  EXPECT_EQ(
      judged({{3, 8, kBehind, 1}, {0, 4, kBehind, 0}}),
      "disjointness: parameters of p0, element 3, ranks 0, 1: both hold it, and they are no replicas of each other");
  EXPECT_EQ(judged({{0, 8, 0, 1}, {2, 3, 8, 1}}),
            "disjointness: parameters of p0, element 2, rank 1: the rank holds it twice");
  EXPECT_EQ(
      judged({{0, 4, 0, 0}, {4, 8, 3, 0}}),
      "P3 invertibility: parameters of p1, element 0, rank 0: it lies at 3 of the shard, where another element is");
  EXPECT_EQ(judged({{0, 4, kBehind, 0}, {4, 9, kBehind, 1}}),
            "extents: parameters of p1, element 0: the interval is [4, 9): expected it within [0, 8)");
  EXPECT_EQ(judged({{0, 4, kBehind, 0}, {4, 8, kBehind, 2}}),
            "extents: parameters of p1, element 0: its owner is 2: expected one of the 2 shards");
}

TEST(Judge, TakesAGapInPaddingForNone) {
  Division division = Flat(Intervals{{{0, 3, kBehind, 0}, {4, 7, kBehind, 1}}});
  division.offset_alignment = 4;
  EXPECT_EQ(Judged(DividedBy(division, 2, TensorsOf({{3}, {3}}))), "sound");
}

TEST(Judge, FindsACutOfTheWholeWorld) {
  Plan plan = DividedBy(Each(Even{}), 4, TensorsOf({{8}}));
  plan.mesh = {{{"replicate", 2}, {"shard", 2}}};
  EXPECT_EQ(Judged(plan), "sound");
  plan.shardings[0].divisions[0].parts = 4;
  EXPECT_EQ(
      Judged(plan),
      "group-relative: parameters of p0, element 0: it falls into 4 parts: expected 2, one per shard of its group; "
      "P1 coverage: parameters of p0, element 4: nobody holds it: parts end at 4 of 8 elements");
}

TEST(Judge, FindsATiedNameThatIsOwnedTwice) {
  Plan plan = DividedBy(Each(Even{}), 2, TensorsOf({{8}, {8}}));
  plan.model[1].tied_to = 0;
  EXPECT_EQ(Judged(plan),
            "disjointness: parameters of p1, element 0: it is another name of p0, whose elements are "
            "divided already: leave it out");
  plan.shardings[0].divisions[0].tensors = {{0, 1}};
  EXPECT_EQ(Judged(plan), "sound");
}

TEST(Judge, AsksFrozenTensorsForParametersAlone) {
  Plan plan = DividedBy(Each(Even{}), 2, TensorsOf({{8}, {8}}));
  plan.model[1].frozen = true;
  plan.shardings.push_back(plan.shardings[0]);
  plan.shardings[1].divisions[0].tensors = {{0, 1}};
  plan.sharding_of = {0, 1, 1};
  EXPECT_EQ(Judged(plan), "sound");
  plan.sharding_of = {1, 1, 1};
  EXPECT_EQ(Judged(plan), "P1 coverage: parameters of p1, element 0: no division has this parameter: nobody holds it");
}

TEST(Judge, FindsReplicasThatDiffer) {
  Affine affine{{Piece(0, 0, 4, 0, {0, 1}), Piece(1, 0, 4, 0, {0, 1}, 2.0)}, {}};
  EXPECT_EQ(Judged(DividedBy(Each(affine), 2, TensorsOf({{4}}))),
            "P2 consistency: parameters of p0, element 0, ranks 0, 1: replicas hold it by scale 1 and 2");
}

TEST(Judge, FindsAScaleThatRounds) {
  Affine affine{{Piece(0, 0, 4, 0, {0, 1}, 1.0 / 3), Piece(1, 0, 4, 0, {0, 1}, 1.0 / 3)}, {}};
  const std::string judged = Judged(DividedBy(Each(affine), 2, TensorsOf({{4}})));
  EXPECT_EQ(judged.rfind("P4 composability: parameters of p0, element 0, rank 0: its scale 0.333", 0), 0u) << judged;
}

TEST(Judge, FindsAValueThatCannotBeHadBack) {
  Affine affine{{Piece(0, 0, 4, 0, {0}, 0.0)}, {}};
  EXPECT_EQ(Judged(DividedBy(Each(affine), 1, TensorsOf({{4}}))),
            "P3 invertibility: parameters of p0, element 0, rank 0: its scale is 0: the value cannot be had back");
}

TEST(Judge, FindsHoldersThatAPieceDoesNotName) {
  Affine affine{{Piece(0, 0, 4, 0, {0, 1}), Piece(1, 2, 4, 0, {0, 1})}, {}};
  EXPECT_EQ(Judged(DividedBy(Each(affine), 2, TensorsOf({{4}}))),
            "P5 homogeneity: parameters of p0, element 0, rank 0: its piece names shards 0, 1 as holders: expected 0");
  affine = {{Piece(0, 0, 4, 0, {0}), Piece(1, 2, 4, 0, {1})}, {}};
  EXPECT_EQ(
      Judged(DividedBy(Each(affine), 2, TensorsOf({{4}}))),
      "disjointness: parameters of p0, element 2, ranks 0, 1: they hold it and do not name each other as replicas");
}

TEST(Judge, TakesAColumnSplitByAffinePieces) {
  const auto columns = [](int shard) { return AffinePiece{shard, {3, 2}, shard * 2, 0, {4, 1}, {2, 1}, {shard}, 1}; };
  Plan plan = DividedBy(Each(Affine{{columns(1), columns(0)}, {6, 6}}), 2, TensorsOf({{3, 4}}));
  EXPECT_EQ(Judged(plan), "sound");
  std::get<Affine>(plan.shardings[0].divisions[0].rule).pieces[0].shape = {2, 2};
  EXPECT_EQ(Judged(plan), "P1 coverage: parameters of p0, element 10: nobody holds [10, 12)");
}

TEST(Judge, FindsARankWithARuleOfItsOwn) {
  Plan plan = DividedBy(Each(Even{}), 2, TensorsOf({{8}}));
  plan.shardings[0].divisions[0].exceptions = {{1, Ceil{}}};
  EXPECT_EQ(Judged(plan),
            "P5 homogeneity: parameters of p0, element 0, rank 1: the rank divides by another rule than the "
            "others of its group");
  plan.shardings[0].divisions[0].exceptions = {{1, Ceil{.part = 3}}};
  EXPECT_EQ(Judge(plan).counts[static_cast<int>(Property::kDisjointness)], 1);
  plan.mesh = {{{"replicate", 2}, {"shard", 2}}};
  plan.shardings[0].divisions[0].exceptions = {{3, Ceil{.part = 3}}};
  const Verdict verdict = Judge(plan);
  ASSERT_EQ(verdict.firsts.size(), 2u);
  EXPECT_EQ(ToString(verdict.firsts[0]),
            "P2 consistency: parameters of p0, element 3, ranks 1, 3: rank 3 holds other elements than its replicas");
}

TEST(Judge, FindsAnOptimizerBesideGradientsAndParameters) {
  Plan plan = DividedBy(Each(Ceil{}), 2, TensorsOf({{7}}));
  plan.shardings.push_back({{"shard"}, {Each(BlockCyclic{1})}});
  plan.shardings[1].divisions[0].tensors = {{0, 1}};
  plan.sharding_of = {0, 0, 1};
  const std::string judged = Judged(plan);
  EXPECT_EQ(judged.rfind("P4 composability: optimizer of p0, element 4, rank 0: the rank updates it", 0), 0u) << judged;
  plan.sharding_of = {0, 1, 1};
  EXPECT_EQ(Judged(plan), "sound");
}

TEST(Judge, FindsPartsThatAreNotAligned) {
  Division division = Flat(Ceil{});
  division.offset_alignment = 4;
  division.length = 16;
  Plan plan = DividedBy(division, 2, TensorsOf({{5}, {6}}));
  plan.alignment = 4;
  EXPECT_EQ(Judged(plan), "sound");
  plan.shardings[0].divisions[0].offset_alignment = 1;
  EXPECT_EQ(Judged(plan),
            "alignment: parameters of p1, element 0: it begins at 5 of the flat buffer: expected a multiple of 4");
  plan.shardings[0].divisions[0] = Flat(Even{});
  plan.shardings[0].divisions[0].tensors = {{0, 1}};
  plan.model.resize(1);
  EXPECT_EQ(Judged(plan),
            "alignment: parameters of p0, element 3, rank 1: the part begins at 3: expected a multiple of 4");
}

TEST(Judge, FindsTensorsThatLieOnEachOther) {
  Division division = Flat(Even{});
  division.offsets = {0, 3};
  EXPECT_EQ(Judged(DividedBy(division, 2, TensorsOf({{4}, {4}}))),
            "P3 invertibility: parameters of p1, element 0: it begins at 3 of the flat buffer, where p0 still is");
}

TEST(Judge, FindsWhatIsOutOfBalance) {
  Plan plan = DividedBy(Each(Ceil{}), 3, TensorsOf({{4}, {4}, {4}}));
  plan.balance = 6;
  EXPECT_EQ(Judged(plan), "sound");
  plan.balance = 5;
  EXPECT_EQ(Judged(plan), "balance: parameters, ranks 2, 0: they hold 0 and 6 elements: expected at most 5 apart");
}

TEST(Judge, CountsTheOthers) {
  const Verdict verdict = Judge(DividedBy(Each(Ceil{.part = 1}), 2, TensorsOf({{3}, {2}, {4}})));
  EXPECT_EQ(verdict.counts[static_cast<int>(Property::kCoverage)], 2);
  EXPECT_EQ(verdict.firsts.size(), 1u);
}

TEST(Judge, IsExactBeyondThirtyTwoBits) {
  const int64_t huge = 3'000'000'000'001;
  EXPECT_EQ(Judged(DividedBy(Each(Even{}), 16384, TensorsOf({{huge}}))), "sound");
  EXPECT_EQ(Judged(DividedBy(Each(Ceil{.part = huge / 16384}), 16384, TensorsOf({{huge}}))),
            "P1 coverage: parameters of p0, element 2999999987712: nobody holds it: parts end at 2999999987712 of "
            "3000000000001 elements");
}

}  // namespace
}  // namespace zerocts::plan
