// What is checked where every E-th rank has an expert: who owns, who shows, who agrees with whom, in which order.
#include <gtest/gtest.h>

#include "conformance/check/compare/compare.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/observation/agreement.hpp"
#include "conformance/check/observation/records.hpp"
#include "conformance/check/observation/tiling.hpp"

namespace zerocts {
namespace {

/// 6 ranks, 3 experts: d is dense, e belongs to expert 1, of ranks 1 and 4, which have 3 and 2 of its elements.
Case ExpertCase() {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = {{"d", {6}, 0}, {"e", {5}, 0}};
  e.gradients = GradientSource::kUniform;
  e.world_size = 6;
  e.micro_batches = 2;
  e.experts = {3, {{1, 1}}};
  c.reduction_order = "rank";
  return c;
}

using Ranks = std::vector<RankObservation>;

std::string Sentence(const std::optional<Finding>& finding) { return finding ? finding->sentence : "nothing"; }

template <typename Change>
std::string TilingWith(Change change, int stage = 1) {
  Case c = ExpertCase();
  c.stage = stage;
  Ranks ranks = PerfectObservation(c);
  change(ranks);
  return Sentence(CheckTiling(c, ranks));
}

TEST(ExpertsChecks, AnExpertIsTiledByItsOwnRanks) {
  EXPECT_EQ(Problem(ExpertCase()), "");
  for (const int stage : {0, 1, 3}) EXPECT_EQ(TilingWith([](Ranks&) {}, stage), "nothing");
  EXPECT_EQ(TilingWith([](Ranks& ranks) { ranks[4].owned[1].clear(); }),
            "elements [3, 5) of e are not owned by any rank of expert 1: expected all of its 5 elements");
  EXPECT_EQ(TilingWith([](Ranks& ranks) {
              ranks[0].owned[1] = {{3, 5}};
            }),
            "rank 0 owns [3, 5) of e, which is of expert 1: expected nothing of other experts");
  EXPECT_EQ(TilingWith(
                [](Ranks& ranks) {
                  ranks[4].owned[1] = {{0, 4}};
                },
                0),
            "elements [4, 5) of e are not owned by rank 4 in stage 0: expected all of its 5 elements");
}

TEST(ExpertsChecks, OnlyItsRanksShowIt) {
  const Case c = ExpertCase();
  Ranks ranks = PerfectObservation(c);
  EXPECT_EQ(Sentence(CheckWellFormed(c, ranks)), "nothing");
  EXPECT_EQ(Sentence(CheckComplete(c, ranks)), "nothing");
  TensorRecord of_other = ranks[1].tensors.front();
  const auto is_e = [](const TensorRecord& record) { return record.parameter == 1; };
  of_other = *std::ranges::find_if(ranks[1].tensors, is_e);
  std::erase_if(ranks[4].tensors, is_e);
  EXPECT_EQ(Sentence(CheckComplete(c, ranks)), "rank 4 did not show e after load: expected all of its elements");
  ranks[0].tensors.push_back(of_other);
  EXPECT_EQ(Sentence(CheckWellFormed(c, ranks)),
            "rank 0 showed a tensor that the case does not have: expected a parameter that has parameter, got e");
}

TEST(ExpertsChecks, ItsRanksAgreeWithTheFirstOfThem) {
  const Case c = ExpertCase();
  Ranks ranks = PerfectObservation(c);
  EXPECT_EQ(Sentence(CheckAgreement(c, ranks)), "nothing");
  for (TensorRecord& record : ranks[4].tensors) {
    if (record.what == "parameter" && record.step == 0 && record.parameter == 1) record.values[2] += 1;
  }
  EXPECT_EQ(Sentence(CheckAgreement(c, ranks)), "ranks 1 and 4 do not hold the same bits of e after step 0");
}

std::string FoldsOf(const ReductionOrder& order) {
  std::string text;
  for (const auto& [begin, end, fold] : order.ranges) {
    text += "[" + std::to_string(begin) + "," + std::to_string(end) + ")" + ToString(fold) + " ";
  }
  return text;
}

/// Ranks 1 and 4 of 6 have micro-batches 2, 3 and 8, 9. A ring begins behind the owner, at the other one.
TEST(ExpertsChecks, TheOrderIsThatOfAWorldOfItsRanks) {
  Case c = ExpertCase();
  const Ownership owned = ContiguousOwnership(c);
  const std::string dense = "[0,6)((((((0+1)+(2+3))+(4+5))+(6+7))+(8+9))+(10+11)) ";
  EXPECT_EQ(FoldsOf(OrderOf(c, owned)), dense + "[6,11)((2+3)+(8+9)) ");
  c.reduction_order = "tree";
  EXPECT_EQ(FoldsOf(OrderOf(c, owned)), "[0,6)((((0+1)+(2+3))+((4+5)+(6+7)))+((8+9)+(10+11))) [6,11)((2+3)+(8+9)) ");
  c.reduction_order = "ring";
  const std::string ring = FoldsOf(OrderOf(c, owned));
  EXPECT_NE(ring.find("[6,9)((8+9)+(2+3)) [9,11)((2+3)+(8+9)) "), std::string::npos) << ring;
}

/// Four ranks of an expert among twelve: their tree is one over four, not what twelve would leave of theirs.
TEST(ExpertsChecks, ATreeIsBalancedOverTheRanksThatAreThere) {
  Case c = ExpertCase();
  c.experiment.world_size = 12;
  c.experiment.micro_batches = 1;
  c.reduction_order = "tree";
  const ReductionOrder order = OrderOf(c, ContiguousOwnership(c));
  EXPECT_EQ(ToString(order.ranges.back().fold), "((1+4)+(7+10))");
}

}  // namespace
}  // namespace zerocts
