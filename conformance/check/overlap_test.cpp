#include "conformance/check/overlap.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

std::optional<Finding> Overlapping(const Case& c, const std::vector<RankObservation>& ranks) {
  Evidence evidence;
  return CheckOverlap(c, ranks, evidence);
}

Case CaseOfThreeRanks() {
  Case c;
  c.experiment.world_size = 3;
  return c;
}

TEST(OverlapOfSpans, IsOneCollectiveDuringOneComputation) {
  std::vector<RankObservation> ranks(3);
  ranks[1].timeline = {{.step = 0, .name = "backward", .index = 1, .begin_ns = 10, .end_ns = 20},
                       {.step = 0, .name = "reduce_scatter", .index = 0, .begin_ns = 20, .end_ns = 30},
                       {.step = 1, .name = "backward", .index = 0, .begin_ns = 22, .end_ns = 28}};
  EXPECT_TRUE(Overlapping(CaseOfThreeRanks(), ranks));
  ranks[1].timeline.push_back({.step = 0, .name = "backward", .index = 0, .begin_ns = 29, .end_ns = 40});
  EXPECT_FALSE(Overlapping(CaseOfThreeRanks(), ranks));
}

}  // namespace
}  // namespace zerocts
