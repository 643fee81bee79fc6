// What all plans promise, judged element by element where Problem() judges by intervals.
#include "impl/layout/plans.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <stdexcept>

#include "impl/layout/for_test/owners.hpp"
#include "impl/layout/for_test/plan_requests.hpp"
#include "impl/layout/unimplemented.hpp"
#include "reference/plan/ours/owners.hpp"

namespace zerocts::engine {
namespace {

RC_GTEST_PROP(Plans, GiveEveryElementToOneRank, ()) {
  const Layout layout = MakeLayout(AnyPlanRequest());
  RC_CLASSIFY(layout.buckets.size() > 2, "several buckets");
  RC_CLASSIFY(layout.shards() > 2, "3 and more shards");
  RC_CLASSIFY(Sum(layout.numel) > layout.shards(), "more elements than shards");
  RC_CLASSIFY(std::count(layout.numel.begin(), layout.numel.end(), 0) > 0, "a parameter without elements");
  RC_ASSERT(Problem(layout) == "");
  for (const auto& parameter : OwnersByElement(layout))
    RC_ASSERT(std::count(parameter.begin(), parameter.end(), -1) == 0);
}

RC_GTEST_PROP(Plans, KeepOffsetInTheFlatBufferAndInTheShard, ()) {
  const Layout layout = MakeLayout(AnyPlanRequest());
  std::vector<int> used(layout.padded_numel(), 0);  // of the flat buffer
  for (int shard = 0; shard < layout.shards(); ++shard) {
    std::vector<int64_t> flat_of;  // for each element of the shard, by the definition: its parts one after the other
    for (const Cut& cut : layout.cuts) {
      for (int64_t i = cut[shard]; i < cut[shard + 1]; ++i) flat_of.push_back(i);
    }
    RC_ASSERT(layout.shard_numel(shard) == std::ssize(flat_of));
    int64_t end_of_last = 0;
    for (const Piece& piece : layout.PiecesOf(shard)) {
      RC_ASSERT(piece.numel() > 0);
      RC_ASSERT(piece.flat_offset == layout.offset[piece.parameter] + piece.begin);
      RC_ASSERT(piece.shard_offset >= end_of_last);
      end_of_last = piece.shard_offset + piece.numel();
      for (int64_t i = 0; i < piece.numel(); ++i) {
        RC_ASSERT(flat_of.at(piece.shard_offset + i) == piece.flat_offset + i);
        RC_ASSERT(used.at(piece.flat_offset + i)++ == 0);
      }
    }
  }
  RC_ASSERT(std::accumulate(used.begin(), used.end(), int64_t{0}) == Sum(layout.numel));
}

RC_GTEST_PROP(Plans, PiecesOfBucketsAreThoseOfTheShard, ()) {
  const Layout layout = MakeLayout(AnyPlanRequest());
  for (int shard = 0; shard < layout.shards(); ++shard) {
    std::vector<Piece> by_bucket;
    int64_t shard_begin = 0;
    for (int b = 0; b < std::ssize(layout.buckets); ++b) {
      RC_ASSERT(layout.bucket_shard_begin(b, shard) == shard_begin);
      shard_begin += layout.bucket_shard_numel(b, shard);
      for (const Piece& piece : layout.PiecesOf(shard, b)) {
        RC_ASSERT(layout.BucketOf(piece.parameter) == b);
        by_bucket.push_back(piece);
      }
    }
    RC_ASSERT(layout.PiecesOf(shard) == by_bucket);
    RC_ASSERT(layout.shard_numel(shard) == shard_begin);
  }
}

RC_GTEST_PROP(Plans, HaveWholeParametersAsOnePieceEach, ()) {
  const Layout layout = MakeLayout(AnyPlanRequest());
  std::vector<int64_t> numel(layout.numel.size(), 0);
  int64_t end_of_last = 0;
  for (const Piece& piece : layout.WholeParameters()) {
    RC_ASSERT(piece.begin == 0);
    RC_ASSERT(piece.flat_offset == layout.offset[piece.parameter]);
    RC_ASSERT(piece.shard_offset == piece.flat_offset);
    RC_ASSERT(piece.flat_offset >= end_of_last);
    end_of_last = piece.flat_offset + piece.numel();
    numel[piece.parameter] += piece.numel();
  }
  RC_ASSERT(numel == layout.numel);
}

RC_GTEST_PROP(Plans, FillBucketsFromTheLastParameterAndBreakThemAtKinds, ()) {
  const PlanRequest request = AnyPlanRequest();
  const Layout layout = MakeLayout(request);
  const auto kind = [&](int p) { return request.parameters[p].kind; };
  int next = 0;  // buckets hold runs of parameters
  for (int b = 0; b < std::ssize(layout.buckets); ++b) {
    const std::vector<int>& parameters = layout.buckets[b].parameters;
    for (int p : parameters) {
      RC_ASSERT(p == next++);
      RC_ASSERT(layout.BucketOf(p) == b);
      RC_ASSERT(kind(p) == kind(parameters.front()));
    }
    RC_ASSERT(!parameters.empty() || request.parameters.empty());
    const int64_t elements = ElementsOfBucket(layout, b);
    if (request.bucket_numel > 0 && parameters.size() > 1) RC_ASSERT(elements <= request.bucket_numel);
    if (b == 0) continue;
    const int refused = layout.buckets[b - 1].parameters.back();
    const bool full = request.bucket_numel > 0 && elements + layout.numel[refused] > request.bucket_numel;
    RC_ASSERT(kind(refused) != kind(parameters.front()) || full);
  }
  RC_ASSERT(next == std::ssize(request.parameters));
}

RC_GTEST_PROP(Plans, AreEqualForEqualRequests, ()) {
  const PlanRequest request = AnyPlanRequest();
  RC_ASSERT(MakeLayout(request) == MakeLayout(request));
}

TEST(Plans, KnowTheBlockInAName) {
  EXPECT_EQ(BlockOf("block3.qkv.weight"), 3);
  EXPECT_EQ(BlockOf("h.12.ln_1.weight"), 12);
  EXPECT_EQ(BlockOf("head.weight"), -1);
  EXPECT_EQ(BlockOf(""), -1);
  EXPECT_THROW(BlockOf("p99999999999"), std::invalid_argument);
}

TEST(Plans, ServeModelsWithoutElements) {
  for (const std::string& plan : PlanNames()) {
    for (const auto& numel : {std::vector<int64_t>{}, {0}, {0, 0, 0}}) {
      for (int shards : {1, 3, 7}) {
        for (int64_t bucket_numel : {0, 1}) {
          const Layout layout = MakeLayout(RequestOf(plan, numel, shards, bucket_numel));
          EXPECT_EQ(Problem(layout), "") << plan;
          EXPECT_EQ(layout.shards(), shards) << plan;
          EXPECT_EQ(layout.padded_numel(), 0) << plan;
          EXPECT_EQ(layout.buckets.size(), 1u) << plan;
          EXPECT_EQ(layout.PiecesOf(shards - 1), std::vector<Piece>()) << plan;
        }
      }
    }
  }
}

TEST(Plans, CutThreeParametersForThreeRanks) {
  const auto cuts = [](const std::string& plan, int64_t bucket_numel = 0) {
    return MakeLayout(RequestOf(plan, {5, 1, 4}, 3, bucket_numel)).cuts;
  };
  EXPECT_EQ(cuts("contiguous"), (std::vector<Cut>{{0, 4, 7, 10}}));
  EXPECT_EQ(cuts("contiguous", 5), (std::vector<Cut>{{0, 4, 5, 5}, {5, 5, 7, 10}}));
  EXPECT_EQ(cuts("padded"), (std::vector<Cut>{{0, 4, 8, 12}}));
  EXPECT_EQ(cuts("padded", 5), (std::vector<Cut>{{0, 2, 4, 6}, {6, 8, 10, 12}}));
  EXPECT_EQ(cuts("per-parameter"), (std::vector<Cut>{{0, 2, 4, 6}, {6, 7, 8, 9}, {9, 11, 13, 15}}));
  EXPECT_EQ(cuts("round-robin", 5), (std::vector<Cut>{{0, 5, 5, 5}, {5, 5, 6, 10}}));
}

TEST(Plans, RefuseWhatMakesNoSense) {
  const auto refusal = [](PlanRequest request) -> std::string {
    try {
      MakeLayout(request);
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal(RequestOf("padded", {5}, 0)), "shards is 0: expected at least 1");
  EXPECT_EQ(refusal(RequestOf("padded", {5, -1}, 2)),
            "parameter block1.weight has shape [-1]: expected sizes of at least 0");
  EXPECT_EQ(refusal(RequestOf("padded", {5}, 2, -1)), "bucket_numel is -1: expected at least 1, or 0 for no limit");
  PlanRequest aligned = RequestOf("padded", {5}, 2);
  aligned.alignment = 0;
  EXPECT_EQ(refusal(aligned), "alignment is 0: expected at least 1");
  aligned.plan = "contiguous";
  aligned.alignment = 32;
  EXPECT_EQ(refusal(aligned),
            "alignment is 32: expected 1 for plan contiguous, whose parts are as long as they are; plan padded can "
            "align them");
  constexpr int64_t kHuge = int64_t{1} << 62;
  for (const std::string& plan : PlanNames())
    EXPECT_THROW(MakeLayout(RequestOf(plan, {kHuge, kHuge}, 3)), std::invalid_argument) << plan;
  EXPECT_THROW(MakeLayout(RequestOf("per-parameter", {kHuge + (kHuge - 1)}, 1 << 20)), std::invalid_argument);
  EXPECT_THROW((PlanParameter{"p", {kHuge, 3}}.numel()), std::invalid_argument);
  EXPECT_EQ((PlanParameter{"p", {kHuge, 3, 0}}.numel()), 0);

  EXPECT_THROW(MakeLayout(RequestOf("round_robin", {5}, 2)), Unimplemented);
  EXPECT_EQ(refusal(RequestOf("round_robin", {5}, 2)),
            "plan round_robin is unknown; this build has: contiguous, padded, per-parameter, per-parameter-rows, "
            "round-robin, balanced, block-round-robin, block-contiguous, file:PATH");
  EXPECT_THROW(OwnsWholeParameters("round_robin"), Unimplemented);
  EXPECT_FALSE(OwnsWholeParameters("per-parameter"));
  EXPECT_TRUE(OwnsWholeParameters("balanced"));
}

TEST(Plans, ServeAHundredThousandParametersOnAThousandRanks) {
  PlanRequest request = RequestOf("contiguous", {}, 1024);
  for (int p = 0; p < 100000; ++p) request.parameters.push_back({"p", {10000019}});
  for (int64_t bucket_numel : {int64_t{0}, int64_t{10000000000}}) {
    request.bucket_numel = bucket_numel;
    const auto begin = std::chrono::steady_clock::now();
    const Layout layout = MakeLayout(request);
    EXPECT_EQ(Problem(layout), "");
    int64_t elements = 0;
    for (int p = 0; p < 100000; ++p) elements += layout.BucketOf(p) < 0 ? 0 : layout.numel[p];
    for (const Piece& piece : layout.PiecesOf(1023)) elements -= piece.numel();
    EXPECT_EQ(elements, 100000 * 10000019ll - layout.shard_numel(1023));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_LT(seconds, 5.0);  // a quadratic search takes minutes
    RecordProperty(bucket_numel ? "milliseconds_bucketed" : "milliseconds", static_cast<int>(seconds * 1000));
  }
}

}  // namespace
}  // namespace zerocts::engine
