#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "impl/layout/for_test/plan_requests.hpp"

namespace zerocts::engine {
namespace {

RC_GTEST_PROP(PlanPromises, AreKept, ()) { RC_ASSERT(BrokenPromise(MakeLayout(AnyPlanRequest())) == ""); }

/// Boundaries between shards that tile as well one element further: no Problem(), but not what the plan says.
RC_GTEST_PROP(PlanPromises, AreBrokenByABoundaryThatIsOffByOne, ()) {
  const PlanRequest request = *rc::gen::suchThat(
      rc::gen::exec(
          [] { return AnyPlanRequest(*rc::gen::element<std::string>("contiguous", "padded", "per-parameter")); }),
      [](const PlanRequest& r) { return r.shards > 1 && MakeLayout(r).padded_numel() > 0; });
  Layout layout = MakeLayout(request);
  const int c = *rc::gen::suchThat(Uniform<int>(0, static_cast<int>(layout.cuts.size())),
                                   [&](int i) { return layout.cuts[i].front() < layout.cuts[i].back(); });
  Cut& cut = layout.cuts[c];
  const int boundary = *Uniform(1, request.shards);
  if (cut[boundary] < cut[boundary + 1]) {
    ++cut[boundary];
  } else if (cut[boundary] > cut[boundary - 1]) {
    --cut[boundary];
  } else {
    return;
  }
  RC_ASSERT(Problem(layout) == "");
  RC_ASSERT(BrokenPromise(layout) != "");
}

TEST(PlanPromises, NameWhatIsBroken) {
  Layout contiguous = MakeLayout(RequestOf("contiguous", {5, 5}, 3));
  contiguous.cuts[0] = {0, 3, 7, 10};  // sizes still differ by at most one
  EXPECT_EQ(BrokenPromise(contiguous), "plan contiguous: expected the part of shard 0 in cut 0 to end at 4, got 3");
  Layout longer = MakeLayout(RequestOf("contiguous", {5, 5}, 3));
  longer.cuts[0][3] = 12;
  EXPECT_EQ(BrokenPromise(longer), "plan contiguous has no padding: expected 10 elements in the flat buffer, got 12");
  Layout divided = MakeLayout(RequestOf("round-robin", {5, 5}, 3));
  divided.cuts[0][1] = 4;
  EXPECT_EQ(BrokenPromise(divided),
            "plan round-robin: expected whole parameters, got a boundary at element 4 of parameter 0");
  divided.cuts[0][1] = 1;
  EXPECT_EQ(BrokenPromise(divided),
            "plan round-robin: expected whole parameters, got a boundary at element 1 of parameter 0");
  divided.plan = "mine";
  EXPECT_EQ(BrokenPromise(divided), "");
}

}  // namespace
}  // namespace zerocts::engine
