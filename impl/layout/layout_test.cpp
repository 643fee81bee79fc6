#include "impl/layout/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

rc::Gen<std::vector<int64_t>> Shapes() {
  return rc::gen::container<std::vector<int64_t>>(
      rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 4), rc::gen::inRange<int64_t>(0, 200)));
}
rc::Gen<int> WorldSizes() { return rc::gen::oneOf(rc::gen::inRange(1, 9), rc::gen::inRange(1, 65)); }

int64_t Sum(const std::vector<int64_t>& numel) { return std::accumulate(numel.begin(), numel.end(), int64_t{0}); }

/// Judges element by element, where Problem() judges by intervals.
void CheckEveryElementOnce(const Layout& layout) {
  std::vector<std::vector<int>> owners;
  for (int64_t n : layout.numel) owners.emplace_back(n, 0);
  for (int rank = 0; rank < layout.world_size(); ++rank) {
    for (const Piece& piece : layout.PiecesOf(rank)) {
      RC_ASSERT(piece.begin < piece.end);
      RC_ASSERT(piece.shard_offset == layout.offset[piece.parameter] + piece.begin - layout.shard_begin[rank]);
      RC_ASSERT(piece.shard_offset + piece.end - piece.begin <= layout.shard_numel(rank));
      for (int64_t i = piece.begin; i < piece.end; ++i) ++owners[piece.parameter][i];
    }
  }
  for (const auto& parameter : owners)
    RC_ASSERT(std::count(parameter.begin(), parameter.end(), 1) == std::ssize(parameter));
}

RC_GTEST_PROP(ContiguousLayout, TilesWithSizesThatDifferByAtMostOne, ()) {
  const auto numel = *Shapes();
  const int world_size = *WorldSizes();
  const Layout layout = ContiguousLayout(numel, world_size);
  RC_ASSERT(Problem(layout) == "");
  RC_ASSERT(layout.padded_numel == Sum(numel));
  CheckEveryElementOnce(layout);
  for (int rank = 0; rank < world_size; ++rank) {
    RC_ASSERT(layout.shard_numel(rank) == Sum(numel) / world_size + (rank < Sum(numel) % world_size));
  }
}

RC_GTEST_PROP(PaddedLayout, HasEqualAlignedShardsAndTheLeastPadding, ()) {
  const auto numel = *Shapes();
  const int world_size = *WorldSizes();
  const int64_t alignment = *rc::gen::element<int64_t>(1, 2, 3, 32);
  const Layout layout = PaddedLayout(numel, world_size, alignment);
  RC_ASSERT(Problem(layout) == "");
  CheckEveryElementOnce(layout);
  for (int rank = 0; rank < world_size; ++rank) RC_ASSERT(layout.shard_numel(rank) == layout.shard_numel(0));
  RC_ASSERT(layout.shard_numel(0) % alignment == 0);
  RC_ASSERT(layout.padded_numel >= Sum(numel));
  RC_ASSERT(layout.padded_numel - Sum(numel) < world_size * alignment);
}

TEST(Layout, KnowsItsPlansByName) {
  EXPECT_EQ(MakeLayout("contiguous", {5, 5}, 3), ContiguousLayout({5, 5}, 3));
  EXPECT_EQ(MakeLayout("padded", {5, 5}, 3), PaddedLayout({5, 5}, 3));
  EXPECT_THROW(MakeLayout("round_robin", {5, 5}, 3), Unimplemented);
  EXPECT_THROW(ContiguousLayout({5}, 0), std::invalid_argument);
  EXPECT_THROW(ContiguousLayout({5, -1}, 2), std::invalid_argument);
}

TEST(Layout, PrintsWhoOwnsWhat) {
  EXPECT_EQ(ToString(ContiguousLayout({5, 0, 5}, 3)),
            "contiguous: 10 elements of 3 parameters, 0 of padding, 3 ranks\n"
            "rank 0 [0, 4): 0[0, 4)\n"
            "rank 1 [4, 7): 0[4, 5) 2[0, 2)\n"
            "rank 2 [7, 10): 2[2, 5)");
  EXPECT_EQ(ToString(PaddedLayout({1}, 2)),
            "padded: 1 elements of 1 parameters, 1 of padding, 2 ranks\n"
            "rank 0 [0, 1): 0[0, 1)\n"
            "rank 1 [1, 2):");
}

TEST(Layout, ProblemNamesWhatIsWrong) {
  const Layout good = PaddedLayout({5, 5}, 3);
  Layout overlap = good;
  overlap.offset[1] = 4;
  EXPECT_EQ(Problem(overlap), "parameters 0 and 1 overlap at element 4");
  Layout outside = good;
  outside.offset[1] = 8;
  EXPECT_EQ(Problem(outside), "parameter 1 lies in [8, 13), outside the flat buffer [0, 12)");
  Layout tail_lost = good;
  tail_lost.shard_begin[3] = 11;
  EXPECT_EQ(Problem(tail_lost), "shards cover [0, 11): expected [0, 12)");
  Layout backwards = good;
  backwards.shard_begin = {0, 8, 4, 12};
  EXPECT_EQ(Problem(backwards), "the shard of rank 1 begins at 8 and ends at 4");
}

}  // namespace
}  // namespace zerocts
