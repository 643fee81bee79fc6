#include "reference/optim/hyper_parameters.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts {
namespace {

TEST(OptimizerKind, ReadsBack) {
  for (const OptimizerKind kind :
       {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb, OptimizerKind::kMuon}) {
    EXPECT_EQ(OptimizerKindFromString(ToString(kind)), kind);
  }
}

TEST(OptimizerKind, ToldInASentenceWhenUnknown) {
  try {
    OptimizerKindFromString("adagrad");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "optimizer: expected one of sgd, adamw, adam, lamb, muon; got \"adagrad\"");
  }
}

TEST(Moments, HaveTheirCustomaryNames) {
  EXPECT_EQ(MomentNames(OptimizerKind::kSgd), (std::vector<std::string>{"momentum"}));
  for (const OptimizerKind kind : {OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb}) {
    EXPECT_EQ(MomentNames(kind), (std::vector<std::string>{"exp_avg", "exp_avg_sq"}));
  }
}

}  // namespace
}  // namespace zerocts
