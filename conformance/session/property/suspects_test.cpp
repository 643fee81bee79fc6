#include "conformance/session/property/suspects.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

TEST(Suspects, AreNoneBeforeARunEnded) {
  Suspects suspects;
  suspects.Clear({"stage1"});
  EXPECT_FALSE(suspects.Are({"stage1"}));
  EXPECT_FALSE(suspects.Are({}));
}

TEST(Suspects, AreWhatAllEndedRunsHadAndNoPassedOne) {
  Suspects suspects;
  suspects.Clear({"sgd", "stage1"});
  EXPECT_TRUE(suspects.Add({"degenerate", "sgd", "uneven"}));
  EXPECT_EQ(suspects.Text(), "degenerate, uneven");
  EXPECT_TRUE(suspects.Are({"adamw", "degenerate", "uneven"}));
  EXPECT_FALSE(suspects.Are({"adamw", "degenerate"}));
  EXPECT_TRUE(suspects.Add({"degenerate", "stage1"}));
  EXPECT_EQ(suspects.Text(), "degenerate");
  EXPECT_TRUE(suspects.Are({"degenerate"}));
}

TEST(Suspects, AreNoneWhereEndedRunsHaveNothingInCommonThatNoPassedOneHas) {
  Suspects suspects;
  EXPECT_TRUE(suspects.Add({"adamw", "uneven"}));
  suspects.Clear({"uneven"});
  EXPECT_FALSE(suspects.Add({"sgd", "uneven"}));
  EXPECT_FALSE(suspects.Are({"uneven"}));
}

}  // namespace
}  // namespace zerocts
