#include "reference/optim/hyper_parameters.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts {
namespace {

TEST(OptimizerKind, ReadsBack) {
  for (const OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kAdamW}) {
    EXPECT_EQ(OptimizerKindFromString(ToString(kind)), kind);
  }
}

TEST(OptimizerKind, ToldInASentenceWhenUnknown) {
  try {
    OptimizerKindFromString("adam");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "optimizer: expected one of sgd, adamw; got \"adam\"");
  }
}

TEST(Moments, HaveTheirCustomaryNames) {
  EXPECT_EQ(MomentNames(OptimizerKind::kSgd), (std::vector<std::string>{"momentum"}));
  EXPECT_EQ(MomentNames(OptimizerKind::kAdamW), (std::vector<std::string>{"exp_avg", "exp_avg_sq"}));
}

}  // namespace
}  // namespace zerocts
