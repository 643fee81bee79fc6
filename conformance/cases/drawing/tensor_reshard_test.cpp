// Cases whose checkpoint other tensor ranks load.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/drawing/shrink.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/whole/features.hpp"

namespace zerocts {
namespace {

const std::vector<std::string> kLoaded = {"loaded_by_split", "loaded_by_whole"};

CaseSpace SplitAndResharded() {
  CaseSpace space = ModelSpace();
  space.split_layers = true;
  space.vary = {"tensor"};
  space.checkpoint = CheckpointUse::kReshard;
  return space;
}

struct Ranks {
  std::vector<int> tensor_ranks, world_sizes;
};

Capabilities CapabilitiesOf(const Ranks& ranks) {
  Capabilities can = EverythingCapable();
  can.tensor_parallel = ranks.tensor_ranks;
  return can;
}

/// The features of the cases drawn at every world size of the ranks.
std::set<std::string> Seen(const Ranks& ranks) {
  std::set<std::string> seen;
  const Capabilities can = CapabilitiesOf(ranks);
  for (const int size : ranks.world_sizes) {
    const CaseConditions conditions{size, Precision::kFp32, {}, ranks.world_sizes};
    if (!Missing(SplitAndResharded(), conditions, can).empty()) continue;
    for (const Case& c : Drawn(SplitAndResharded(), conditions, can, 200)) seen.merge(FeaturesOf(c));
  }
  return seen;
}

/// Coverage minimums ask for what can be drawn, and for nothing else.
TEST(ReshardOverTensor, IsMissingWhereNoCaseHasIt) {
  for (const Ranks& ranks : {Ranks{{1, 2}, {1, 2, 3, 4}},
                             {{2, 4}, {1, 2, 3, 4}},
                             {{1, 2, 3}, {2, 3}},
                             {{1, 2, 3, 4}, {4}},
                             {{1, 2, 3, 4}, {1, 2, 3, 4}}}) {
    RunTerms terms{.can = CapabilitiesOf(ranks), .world_sizes = ranks.world_sizes, .precisions = {Precision::kFp32}};
    const std::set<std::string> seen = Seen(ranks);
    for (const std::string& feature : kLoaded) {
      EXPECT_EQ(seen.contains(feature), MissingFor(feature, terms).empty())
          << feature << ", " << MissingFor(feature, terms) << ", world sizes from " << ranks.world_sizes.front();
    }
  }
}

TEST(ReshardOverTensor, NeedsWhatIsDeclared) {
  const CaseConditions conditions{4, Precision::kFp32, {}, {1, 2, 4}};
  Capabilities can = EverythingCapable();
  EXPECT_EQ(Missing(SplitAndResharded(), conditions, can), "");
  can.checkpoint_tensor = false;
  EXPECT_EQ(Missing(SplitAndResharded(), conditions, can), "needs: checkpoint_tensor");
}

TEST(ReshardOverTensor, ShrinksToFewerRanksAtBothEnds) {
  const CaseConditions conditions{8, Precision::kFp32, {}, {2, 4, 8}};
  Capabilities can = EverythingCapable();
  can.tensor_parallel = {2, 4};
  int shrunk = 0;
  for (Case c : Drawn(SplitAndResharded(), conditions, can, 30)) {
    if (c.data_ranks() == 1) continue;
    const auto has_fewer_data = [&](const Case& candidate) {
      return candidate.data_ranks() < c.data_ranks() && candidate.tensor == c.tensor && candidate.checkpoint &&
             candidate.checkpoint->other_tensor == c.checkpoint->other_tensor;
    };
    EXPECT_TRUE(std::ranges::any_of(Shrink(c, 2), has_fewer_data)) << c;
    ++shrunk;
  }
  EXPECT_GT(shrunk, 5);
}

}  // namespace
}  // namespace zerocts
