#include "conformance/cases/drawing/draw_case.hpp"

#include <gtest/gtest.h>

#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

TEST(CaseSpaceProblem, NamesWhatIsNoDimensionThatIsDrawnOnRequest) {
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  EXPECT_EQ(Problem(space), "");
  space.vary = {"mesh", "mehs"};
  EXPECT_TRUE(Problem(space).starts_with("vary: expected dimensions that are drawn on request (tensor, "));
  EXPECT_TRUE(Problem(space).ends_with("), got 'mehs'")) << Problem(space);
  space.vary = {"stage"};  // of every clause
  EXPECT_TRUE(Problem(space).ends_with("), got 'stage'")) << Problem(space);
}

TEST(SpaceFor, InexactModelsIsBoundedWhereTheSpaceSaysSo) {
  CaseSpace space = ModelSpace();
  Capabilities inexact = EverythingCapable();
  inexact.inexact_models = true;
  EXPECT_FALSE(SpaceFor(space, inexact).bounded());
  space.or_bounded = {OptimizerKind::kSgd};
  EXPECT_FALSE(SpaceFor(space, EverythingCapable()).bounded());
  EXPECT_TRUE(SpaceFor(space, inexact).bounded());
  EXPECT_EQ(SpaceFor(space, inexact).optimizers, space.or_bounded);
}

}  // namespace
}  // namespace zerocts
