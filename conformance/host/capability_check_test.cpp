#include "conformance/host/capability_check.hpp"

#include <gtest/gtest.h>

#include "conformance/cases/test_spaces.hpp"

namespace zerocts {
namespace {

TEST(BeyondCapabilities, NamesWhatASubjectDoesNotDeclare) {
  Case c;
  c.experiment.parameters = {{"a", {2}, 0}};
  EXPECT_EQ(BeyondCapabilities(c, EverythingCapable(), false), "");
  Capabilities can = EverythingCapable();
  can.stages = {0};
  EXPECT_EQ(BeyondCapabilities(c, can, false), "stage 1 (declared: 0)");
}

// However much a subject declares: it cannot be told.
TEST(BeyondCapabilities, NamesWhatTheAbiCannotSay) {
  Case c;
  c.experiment.parameters = {{"a", {2}, 0}};
  c.experiment.loss_scaling.kind = LossScaleKind::kStatic;
  EXPECT_EQ(BeyondCapabilities(c, EverythingCapable(), false),
            "loss scaling (zerocts_subject.h version 1 cannot say it)");
}

}  // namespace
}  // namespace zerocts
