#include "reference/optim/formula_names.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts {
namespace {

template <typename Enum>
void ExpectReadsBack(int count, Enum (*from_string)(const std::string&), const std::string& sentence) {
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(from_string(ToString(value)), value);
  }
  try {
    from_string("other");
    ADD_FAILURE() << "accepted, expected: " << sentence;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), sentence);
  }
}

TEST(FormulaNames, ReadBackAndAreToldInASentence) {
  ExpectReadsBack(2, MomentOrderFromString, "moments: expected one of fma, lerp; got \"other\"");
  ExpectReadsBack(4, DecayPositionFromString, "decay: expected one of update, before, after, gradient; got \"other\"");
  ExpectReadsBack(3, BiasCorrectionFromString,
                  "bias_correction: expected one of separate, folded, none; got \"other\"");
  ExpectReadsBack(4, EpsilonPositionFromString,
                  "epsilon: expected one of outside, outside_uncorrected, inside, inside_uncorrected; got \"other\"");
  ExpectReadsBack(2, UpdateOrderFromString, "update: expected one of quotient, product_first; got \"other\"");
  ExpectReadsBack(2, ProductRoundingFromString, "products: expected one of fused, rounded; got \"other\"");
  ExpectReadsBack(2, BetaPowersFromString, "beta_powers: expected one of product, current; got \"other\"");
  ExpectReadsBack(2, MatrixProductsFromString, "matrix_products: expected one of fp32, bf16; got \"other\"");
}

TEST(TorchFormula, IsForTheOptimizersThatTorchHas) {
  EXPECT_EQ(TorchFormula(OptimizerKind::kAdamW).decay, DecayPosition::kBefore);
  EXPECT_EQ(TorchFormula(OptimizerKind::kAdam).decay, DecayPosition::kGradient);
  EXPECT_EQ(TorchFormula(OptimizerKind::kSgd), (OptimizerFormula{.moments = MomentOrder::kLerp}));
  EXPECT_THROW(TorchFormula(OptimizerKind::kLamb), std::invalid_argument);
  EXPECT_THROW(TorchFormula(OptimizerKind::kMuon), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
