// Planted norms are named by the elements that they count.
#include "conformance/check/cause/causes_of_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/cases/capabilities/choices.hpp"

namespace zerocts {
namespace {

/// There are 2 ranks: rank 0 owns a, rank 1 the rest. The norm is that of (2, 3, 6, 5, 9).
std::vector<std::string> CausesWhere(double sum_of_squares) {
  Experiment e;
  e.parameters = {{"a", {3}, 0}, {"b", {1}, 0}, {"c", {1}, 0}};
  e.world_size = 2;
  StepTrace right;
  right.gradient = {{2, 3, 6}, {5}, {9}};
  std::vector<RankObservation> ranks(2);
  ranks[0].owned = {{{0, 3}}, {}, {}};
  ranks[1].owned = {{}, {{0, 1}}, {{0, 1}}};
  return CausesOfNorm(e, right, ranks, static_cast<float>(std::sqrt(sum_of_squares)));
}

constexpr double kAll = 4 + 9 + 36 + 25 + 81;

TEST(CausesOfNorm, NameAShard) {
  EXPECT_EQ(CausesWhere(4 + 9 + 36), std::vector<std::string>{"a rank took the norm of its own shard"});
  EXPECT_EQ(CausesWhere(25 + 81).front(), "a rank took the norm of its own shard");
}

TEST(CausesOfNorm, NameATensor) {
  EXPECT_EQ(CausesWhere(kAll - 81), std::vector<std::string>{"the norm left out the last tensor"});
  EXPECT_EQ(CausesWhere(kAll - 25), std::vector<std::string>{"the norm left out a tensor"});
  EXPECT_TRUE(Contains(CausesWhere(kAll + 25), std::string("the norm counted a tensor twice")));
}

TEST(CausesOfNorm, NamePadding) {
  EXPECT_EQ(CausesWhere(kAll + 36), std::vector<std::string>{"the norm counted padding, or an element twice"});
}

TEST(CausesOfNorm, NameNothingElse) { EXPECT_TRUE(CausesWhere(kAll + 1).empty()); }

}  // namespace
}  // namespace zerocts
