// The value and its proof. What each plan promises stands in plans_test.cpp.
#include "impl/layout/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "impl/layout/for_test/plan_requests.hpp"

namespace zerocts::engine {
namespace {

/// Two cuts in two buckets, a parameter without elements, two of padding.
Layout Handmade() {
  return {"handmade", {5, 0, 3}, {0, 5, 6}, {{0, 4, 4, 6}, {6, 7, 9, 10}}, {{0, 1, {0, 1}}, {1, 2, {2}}}};
}

TEST(Layout, KnowsWhereThingsStand) {
  const Layout layout = Handmade();
  ASSERT_EQ(Problem(layout), "");
  EXPECT_EQ(layout.shards(), 3);
  EXPECT_EQ(layout.padded_numel(), 10);
  EXPECT_EQ(layout.shard_numel(0), 5);
  EXPECT_EQ(layout.shard_numel(1), 2);
  EXPECT_EQ(layout.shard_numel(2), 3);
  EXPECT_EQ(layout.bucket_begin(1), 6);
  EXPECT_EQ(layout.bucket_numel(1), 4);
  EXPECT_EQ(layout.bucket_shard_begin(1, 0), 4);
  EXPECT_EQ(layout.bucket_shard_numel(1, 1), 2);
  EXPECT_EQ(layout.BucketOf(0), 0);
  EXPECT_EQ(layout.BucketOf(1), 0);
  EXPECT_EQ(layout.BucketOf(2), 1);
  EXPECT_EQ(layout.PiecesOf(0), (std::vector<Piece>{{0, 0, 4, 0, 0}, {2, 0, 1, 6, 4}}));
  EXPECT_EQ(layout.PiecesOf(1), (std::vector<Piece>{{2, 1, 3, 7, 0}}));
  EXPECT_EQ(layout.PiecesOf(2), (std::vector<Piece>{{0, 4, 5, 4, 0}}));
  EXPECT_EQ(layout.PiecesOf(0, 1), (std::vector<Piece>{{2, 0, 1, 6, 4}}));
  EXPECT_EQ(layout.WholeParameters(), (std::vector<Piece>{{0, 0, 5, 0, 0}, {2, 0, 3, 6, 6}}));
}

TEST(Layout, FindsTheBucketOfAParameterWithoutElementsWhereBucketsTouch) {
  Layout layout = Handmade();
  layout.offset[1] = 6;
  ASSERT_EQ(Problem(layout), "");
  EXPECT_EQ(layout.BucketOf(1), 0);
  layout.buckets[0].parameters = {0};
  EXPECT_THROW(layout.BucketOf(1), std::invalid_argument);
}

TEST(Layout, PrintsWhoOwnsWhat) {
  EXPECT_EQ(ToString(Handmade()),
            "handmade: 8 elements of 3 parameters, 2 of padding, 3 shards, 2 buckets\n"
            "bucket 0 [0, 6) of 2 parameters\n"
            "  shard 0, 4 elements: 0[0, 4)\n"
            "  shard 1, 0 elements:\n"
            "  shard 2, 2 elements: 0[4, 5)\n"
            "bucket 1 [6, 10) of 1 parameters\n"
            "  shard 0, 1 elements: 2[0, 1)\n"
            "  shard 1, 2 elements: 2[1, 3)\n"
            "  shard 2, 1 elements:");
}

/// The problem of the handmade layout after `change`.
template <typename Change>
std::string ProblemAfter(Change change) {
  Layout layout = Handmade();
  change(layout);
  return Problem(layout);
}

TEST(LayoutProblem, NamesWhatIsWrongWithCuts) {
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.cuts.clear(); }),
            "the layout has no cut: expected at least one, even for a model without elements");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.cuts[0] = {0}; }), "cut 0 has no part: expected one per shard");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.cuts[0].clear(); }), "cut 0 has no part: expected one per shard");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.cuts[1].pop_back(); }), "cut 1 has 3 boundaries: expected 4 like cut 0");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.cuts[0][0] = 1; }),
            "cut 0 begins at 1: expected 0, where the one before it ends");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.cuts[0][3] = 5; }),
            "cut 1 begins at 6: expected 5, where the one before it ends");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.cuts[1][1] = 10; }),
            "the part of shard 1 in cut 1 begins at 10 and ends at 9");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.cuts[1][3] = 8; }),
            "the part of shard 2 in cut 1 begins at 9 and ends at 8");
}

TEST(LayoutProblem, NamesWhatIsWrongWithBuckets) {
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.buckets.clear(); }),
            "the layout has no bucket: expected at least one, even for a model without elements");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.buckets[1].first_cut = 0; }),
            "bucket 1 begins with cut 0: expected cut 1, where the one before it ends");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.buckets[1].end_cut = 3; }),
            "bucket 1 has cuts [1, 3): expected at least one of the 2 cuts");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.buckets.pop_back(); }),
            "buckets end with cut 1: expected all 2 cuts to be in a bucket");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.buckets[1].parameters = {3}; }),
            "bucket 1 holds parameter 3: the layout has 3 parameters");
  EXPECT_EQ(ProblemAfter([](Layout& l) {
              l.buckets[1].parameters = {1, 2};
            }),
            "parameter 1 is in bucket 0 and again in bucket 1");
  EXPECT_EQ(ProblemAfter([](Layout& l) {
              l.buckets[0].parameters = {1, 0};
            }),
            "bucket 0 holds parameter 0 behind 1: expected them ascending");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.buckets[1].parameters.clear(); }), "parameter 2 is in no bucket");
}

TEST(LayoutProblem, NamesWhatIsWrongWithOffsets) {
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.offset.pop_back(); }), "3 parameters have 2 offsets: expected one each");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.numel[1] = -1; }), "parameter 1 has -1 elements: expected at least 0");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.offset[2] = 8; }),
            "parameter 2 has 3 elements from 8: expected them inside bucket 1, [6, 10)");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.numel[2] = std::numeric_limits<int64_t>::max(); }),
            "parameter 2 has 9223372036854775807 elements from 6: expected them inside bucket 1, [6, 10)");
  EXPECT_EQ(ProblemAfter([](Layout& l) { std::swap(l.buckets[0].parameters, l.buckets[1].parameters); }),
            "parameter 2 has 3 elements from 6: expected them inside bucket 0, [0, 6)");
  EXPECT_EQ(ProblemAfter([](Layout& l) {
              l.numel[1] = 2;
              l.offset[1] = 4;
            }),
            "parameters 0 and 1 overlap at element 4");
  EXPECT_EQ(ProblemAfter([](Layout& l) { l.offset[1] = 3; }), "parameters 0 and 1 overlap at element 3");
}

/// A layout whose cuts have elements and whose parameters leave no room, so that every wrong boundary loses or doubles
/// an element.
Layout AnyTightLayout() {
  const PlanRequest request = *rc::gen::suchThat(
      rc::gen::exec(
          [] { return AnyPlanRequest(*rc::gen::element<std::string>("contiguous", "round-robin", "balanced")); }),
      [](const PlanRequest& r) {
        const Layout layout = MakeLayout(r);
        return std::all_of(layout.cuts.begin(), layout.cuts.end(),
                           [](const Cut& cut) { return cut.front() < cut.back(); });
      });
  return MakeLayout(request);
}

RC_GTEST_PROP(LayoutProblem, FindsEveryPlantedOffByOne, ()) {
  const Layout right = AnyTightLayout();
  RC_ASSERT(Problem(right) == "");
  const auto found = [&](auto change) {
    Layout wrong = right;
    change(wrong);
    return Problem(wrong) != "";
  };
  const size_t c = *rc::gen::inRange<size_t>(0, right.cuts.size());
  RC_ASSERT(found([&](Layout& l) { ++l.cuts[c].front(); }));
  RC_ASSERT(found([&](Layout& l) { --l.cuts[c].front(); }));
  RC_ASSERT(found([&](Layout& l) { --l.cuts[c].back(); }));
  RC_ASSERT(found([&](Layout& l) { l.cuts.erase(l.cuts.begin() + c); }));
  RC_ASSERT(found([&](Layout& l) { l.cuts.insert(l.cuts.begin() + c, l.cuts[c]); }));
  if (right.cuts.size() > 1) RC_ASSERT(found([&](Layout& l) { l.cuts[c].pop_back(); }));
  RC_ASSERT(found([&](Layout& l) { std::swap(l.cuts[c].front(), l.cuts[c].back()); }));
  const size_t other = *rc::gen::inRange<size_t>(0, right.cuts.size());
  if (other != c) RC_ASSERT(found([&](Layout& l) { std::swap(l.cuts[c], l.cuts[other]); }));

  std::vector<size_t> with_elements;
  for (size_t p = 0; p < right.numel.size(); ++p) {
    if (right.numel[p] > 0) with_elements.push_back(p);
  }
  const size_t p = *rc::gen::elementOf(with_elements);
  RC_ASSERT(found([&](Layout& l) { ++l.numel[p]; }));
  RC_ASSERT(found([&](Layout& l) { ++l.offset[p]; }));
  RC_ASSERT(found([&](Layout& l) { --l.offset[p]; }));
  RC_ASSERT(found([&](Layout& l) { std::erase(l.buckets[right.BucketOf(static_cast<int>(p))].parameters, p); }));
}

}  // namespace
}  // namespace zerocts::engine
