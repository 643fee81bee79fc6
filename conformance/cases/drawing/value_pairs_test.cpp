#include "conformance/cases/drawing/value_pairs.hpp"

#include <gtest/gtest.h>

#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

RunTerms TermsOfPairs() {
  return {.can = EverythingCapable(), .world_sizes = {1, 2, 3, 4}, .precisions = {Precision::kFp32, Precision::kBf16}};
}

Case InStage(int stage) {
  Case c;
  c.experiment.parameters = {{"a", {5}, 0}};
  c.experiment.world_size = 2;
  c.plan = "padded";
  c.stage = stage;
  return c;
}

ValuePairs PairsOf(const PairTable& table, const Case& c) {
  ValuePairs pairs;
  table.Add(c, pairs);
  return pairs;
}

size_t PairsAmong(size_t values) { return values * (values - 1) / 2; }

TEST(ValuePairs, OfTwoStagesDifferInThePairsOfTheStage) {
  const PairTable table(CaseSpace{}, TermsOfPairs());
  const ValuePairs one = PairsOf(table, InStage(1));
  ValuePairs both = one;
  table.Add(InStage(2), both);
  const size_t other_dimensions = both.size() - one.size();
  EXPECT_GT(other_dimensions, 5u);
  EXPECT_EQ(one.size(), PairsAmong(other_dimensions + 1));
}

TEST(ValuePairs, AreOfDimensionsThatTheClauseVariesAlone) {
  CaseSpace space;
  const size_t without = PairsOf(PairTable(space, TermsOfPairs()), InStage(1)).size();
  space.vary = {"overlap"};
  const size_t with = PairsOf(PairTable(space, TermsOfPairs()), InStage(1)).size();
  const size_t dimensions = with - without;
  EXPECT_EQ(without, PairsAmong(dimensions));
  EXPECT_EQ(with, PairsAmong(dimensions + 1));
}

TEST(ValuePairs, AreOfDimensionsInWhichTheRunHasAChoice) {
  RunTerms terms = TermsOfPairs();
  const size_t free = PairsOf(PairTable(CaseSpace{}, terms), InStage(1)).size();
  terms.can.stages = {1};
  EXPECT_LT(PairsOf(PairTable(CaseSpace{}, terms), InStage(1)).size(), free);
  terms.can.stages = {1, 3};
  EXPECT_EQ(PairsOf(PairTable(CaseSpace{}, terms), InStage(1)).size(), free);
  EXPECT_LT(PairsOf(PairTable(CaseSpace{}, terms), InStage(2)).size(), free) << "stage 2 is not available";
}

TEST(ValuePairs, ThatCannotOccurAreNeverDrawn) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.vary = {"mesh"};
  const CaseConditions conditions{4, Precision::kFp32, {}};
  const PairTable table(space, TermsOfPairs());
  const ValuePairs drawn = PairsOfDraws(table, space, conditions, EverythingCapable(), 1, 500);
  const auto mesh_in_stage = [&](int stage) {
    Case plain = InStage(stage), mesh = plain;
    mesh.replicas = 2;
    ValuePairs of_mesh = PairsOf(table, mesh);
    for (const uint32_t pair : PairsOf(table, plain)) of_mesh.erase(pair);
    Case other_stage = mesh;
    other_stage.stage = stage == 0 ? 1 : 0;
    for (const uint32_t pair : PairsOf(table, other_stage)) of_mesh.erase(pair);
    EXPECT_EQ(of_mesh.size(), 1u);
    return *of_mesh.begin();
  };
  EXPECT_TRUE(drawn.contains(mesh_in_stage(3)));
  EXPECT_FALSE(drawn.contains(mesh_in_stage(0)));
  EXPECT_EQ(drawn, PairsOfDraws(table, space, conditions, EverythingCapable(), 1, 500));
}

}  // namespace
}  // namespace zerocts
