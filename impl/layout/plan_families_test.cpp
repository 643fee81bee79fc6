// What each plan promises of its own, judged element by element. What all promise stands in plans_test.cpp.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "impl/layout/for_test/owners.hpp"
#include "impl/layout/for_test/plan_requests.hpp"
#include "reference/plan/ours/owners.hpp"

namespace zerocts::engine {
namespace {

int64_t Padding(const Layout& layout) { return layout.padded_numel() - Sum(layout.numel); }

std::vector<int64_t> Sizes(const Cut& cut) {
  std::vector<int64_t> sizes;
  for (size_t s = 0; s + 1 < cut.size(); ++s) sizes.push_back(cut[s + 1] - cut[s]);
  return sizes;
}

int64_t CeilDivided(int64_t a, int64_t b) { return (a + b - 1) / b; }

RC_GTEST_PROP(PlanContiguous, HasSizesThatDifferByAtMostOneWhateverTheBuckets, ()) {
  const PlanRequest request = AnyPlanRequest("contiguous");
  const Layout layout = MakeLayout(request);
  const int64_t total = Sum(layout.numel);
  RC_ASSERT(Padding(layout) == 0);
  int64_t next = 0;
  for (int shard = 0; shard < request.shards; ++shard) {
    RC_ASSERT(layout.shard_numel(shard) == total / request.shards + (shard < total % request.shards));
    for (const Piece& piece : layout.PiecesOf(shard)) {
      RC_ASSERT(piece.flat_offset == next);
      next += piece.numel();
    }
  }
  RC_ASSERT(std::is_sorted(layout.offset.begin(), layout.offset.end()));
  for (const Bucket& bucket : layout.buckets) RC_ASSERT(bucket.end_cut == bucket.first_cut + 1);
}

RC_GTEST_PROP(PlanPadded, HasEqualAlignedPartsAndTheLeastPaddingInEveryBucket, ()) {
  const PlanRequest request = AnyPlanRequest("padded");
  const Layout layout = MakeLayout(request);
  for (int b = 0; b < std::ssize(layout.buckets); ++b) {
    RC_ASSERT(layout.buckets[b].end_cut == layout.buckets[b].first_cut + 1);
    const std::vector<int64_t> parts = Sizes(layout.cuts[b]);
    RC_ASSERT(std::count(parts.begin(), parts.end(), parts[0]) == request.shards);
    RC_ASSERT(parts[0] % request.alignment == 0);
    const int64_t padding = layout.bucket_numel(b) - ElementsOfBucket(layout, b);
    RC_ASSERT(padding >= 0 && padding < request.shards * request.alignment);
    int64_t next = layout.bucket_begin(b);  // padding at the end only
    for (int p : layout.buckets[b].parameters) {
      RC_ASSERT(layout.offset[p] == next);
      next += layout.numel[p];
    }
  }
}

RC_GTEST_PROP(PlanPerParameter, DividesEachIntoPartsOfTheCeiling, ()) {
  const PlanRequest request = AnyPlanRequest("per-parameter");
  const Layout layout = MakeLayout(request);
  const auto owners = OwnersByElement(layout);
  for (size_t p = 0; p < owners.size(); ++p) {
    const int64_t part = CeilDivided(layout.numel[p], request.shards);
    for (int64_t i = 0; i < layout.numel[p]; ++i) RC_ASSERT(owners[p][i] == i / part);
    RC_ASSERT(Sizes(layout.cuts[p]) == std::vector<int64_t>(request.shards, part));
    RC_ASSERT(layout.offset[p] == layout.cuts[p].front());
  }
}

RC_GTEST_PROP(PlanPerParameterRows, DividesEachIntoWholeRows, ()) {
  const PlanRequest request = AnyPlanRequest("per-parameter-rows");
  const Layout layout = MakeLayout(request);
  const auto owners = OwnersByElement(layout);
  for (size_t p = 0; p < owners.size(); ++p) {
    if (layout.numel[p] == 0) continue;
    const int64_t rows = request.parameters[p].rows(), row = layout.numel[p] / rows;
    const int64_t rows_each = CeilDivided(rows, request.shards);
    for (int64_t i = 0; i < layout.numel[p]; ++i) RC_ASSERT(owners[p][i] == i / row / rows_each);
    RC_ASSERT(Sizes(layout.cuts[p]) == std::vector<int64_t>(request.shards, rows_each * row));
  }
}

/// The owner of each parameter, -1 for one without elements; fails when one is divided.
std::vector<int> Owners(const Layout& layout) {
  std::vector<int> owners;
  for (const auto& parameter : OwnersByElement(layout)) {
    for (int owner : parameter) RC_ASSERT(owner == parameter[0]);
    owners.push_back(parameter.empty() ? -1 : parameter[0]);
  }
  return owners;
}

RC_GTEST_PROP(PlanByOwner, NeverDividesAParameterAndNeverPads, ()) {
  for (const std::string& plan : PlanNames()) {
    if (!OwnsWholeParameters(plan)) continue;
    const Layout layout = MakeLayout(AnyPlanRequest(plan));
    Owners(layout);
    RC_ASSERT(Padding(layout) == 0);
    for (const Bucket& bucket : layout.buckets) RC_ASSERT(bucket.end_cut == bucket.first_cut + 1);
  }
}

RC_GTEST_PROP(PlanRoundRobin, GivesParameterIToRankIModW, ()) {
  const PlanRequest request = AnyPlanRequest("round-robin");
  const std::vector<int> owners = Owners(MakeLayout(request));
  for (int p = 0; p < std::ssize(owners); ++p) RC_ASSERT(owners[p] == -1 || owners[p] == p % request.shards);
}

RC_GTEST_PROP(PlanBalanced, IsWithinGreedysBound, ()) {
  const PlanRequest request = AnyPlanRequest("balanced");
  const Layout layout = MakeLayout(request);
  int64_t most = 0, largest = 0;
  for (int shard = 0; shard < request.shards; ++shard) most = std::max(most, layout.shard_numel(shard));
  for (int64_t n : layout.numel) largest = std::max(largest, n);
  // Graham: when the fullest rank got its last parameter it had at most the mean.
  RC_ASSERT(most <= Sum(layout.numel) / request.shards + largest);
}

TEST(PlanBalanced, TakesTheLargestFirstAndTheLowestRankOnTies) {
  const Layout layout = MakeLayout(RequestOf("balanced", {3, 3, 8, 2, 0, 4}, 3));
  EXPECT_EQ(Owners(layout), (std::vector<int>{2, 2, 0, 1, -1, 1}));
  EXPECT_EQ(layout.offset, (std::vector<int64_t>{14, 17, 0, 8, 10, 10}));
  EXPECT_EQ(layout.cuts, (std::vector<Cut>{{0, 8, 14, 20}}));
}

RC_GTEST_PROP(PlanByBlock, GivesBlocksToTheirOwnersAndTheRestToRank0, ()) {
  for (const std::string plan : {"block-round-robin", "block-contiguous"}) {
    const PlanRequest request = AnyPlanRequest(plan);
    const std::vector<int> owners = Owners(MakeLayout(request));
    int blocks = 0;
    for (const PlanParameter& parameter : request.parameters) blocks = std::max(blocks, BlockOf(parameter.name) + 1);
    for (size_t p = 0; p < owners.size(); ++p) {
      const int block = BlockOf(request.parameters[p].name);
      if (owners[p] == -1) continue;
      if (block < 0) RC_ASSERT(owners[p] == 0);
      if (block < 0) continue;
      if (plan == "block-round-robin") RC_ASSERT(owners[p] == block % request.shards);
      if (plan == "block-contiguous") {
        const int longer = blocks % request.shards, length = blocks / request.shards;
        const int in_longer = longer * (length + 1);
        const int owner = block < in_longer ? block / (length + 1) : longer + (block - in_longer) / length;
        RC_ASSERT(owners[p] == owner);
      }
    }
  }
}

}  // namespace
}  // namespace zerocts::engine
