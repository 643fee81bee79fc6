#include "reference/optim/formula_names.hpp"

#include <stdexcept>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<MomentOrder> kMomentOrders[] = {{MomentOrder::kFma, "fma"}, {MomentOrder::kLerp, "lerp"}};
constexpr EnumName<DecayPosition> kDecayPositions[] = {{DecayPosition::kUpdate, "update"},
                                                       {DecayPosition::kBefore, "before"},
                                                       {DecayPosition::kAfter, "after"},
                                                       {DecayPosition::kGradient, "gradient"}};
constexpr EnumName<BiasCorrection> kBiasCorrections[] = {
    {BiasCorrection::kSeparate, "separate"}, {BiasCorrection::kFolded, "folded"}, {BiasCorrection::kNone, "none"}};
constexpr EnumName<EpsilonPosition> kEpsilonPositions[] = {
    {EpsilonPosition::kOutside, "outside"},
    {EpsilonPosition::kOutsideUncorrected, "outside_uncorrected"},
    {EpsilonPosition::kInside, "inside"},
    {EpsilonPosition::kInsideUncorrected, "inside_uncorrected"}};
constexpr EnumName<UpdateOrder> kUpdateOrders[] = {{UpdateOrder::kQuotient, "quotient"},
                                                   {UpdateOrder::kProductFirst, "product_first"}};
constexpr EnumName<ProductRounding> kProductRoundings[] = {{ProductRounding::kFused, "fused"},
                                                           {ProductRounding::kRounded, "rounded"}};
constexpr EnumName<BetaPowers> kBetaPowers[] = {{BetaPowers::kProduct, "product"}, {BetaPowers::kCurrent, "current"}};
constexpr EnumName<MatrixProducts> kMatrixProducts[] = {{MatrixProducts::kFp32, "fp32"},
                                                        {MatrixProducts::kBf16, "bf16"}};

}  // namespace

std::string ToString(MomentOrder order) { return NameOf(kMomentOrders, order); }
std::string ToString(DecayPosition position) { return NameOf(kDecayPositions, position); }
std::string ToString(BiasCorrection correction) { return NameOf(kBiasCorrections, correction); }
std::string ToString(EpsilonPosition position) { return NameOf(kEpsilonPositions, position); }
std::string ToString(UpdateOrder order) { return NameOf(kUpdateOrders, order); }
std::string ToString(ProductRounding rounding) { return NameOf(kProductRoundings, rounding); }
std::string ToString(BetaPowers powers) { return NameOf(kBetaPowers, powers); }
std::string ToString(MatrixProducts products) { return NameOf(kMatrixProducts, products); }

MomentOrder MomentOrderFromString(const std::string& name) { return FromName(kMomentOrders, "moments", name); }
DecayPosition DecayPositionFromString(const std::string& name) { return FromName(kDecayPositions, "decay", name); }
BiasCorrection BiasCorrectionFromString(const std::string& name) {
  return FromName(kBiasCorrections, "bias_correction", name);
}
EpsilonPosition EpsilonPositionFromString(const std::string& name) {
  return FromName(kEpsilonPositions, "epsilon", name);
}
UpdateOrder UpdateOrderFromString(const std::string& name) { return FromName(kUpdateOrders, "update", name); }
ProductRounding ProductRoundingFromString(const std::string& name) {
  return FromName(kProductRoundings, "products", name);
}

BetaPowers BetaPowersFromString(const std::string& name) { return FromName(kBetaPowers, "beta_powers", name); }
MatrixProducts MatrixProductsFromString(const std::string& name) {
  return FromName(kMatrixProducts, "matrix_products", name);
}

OptimizerFormula TorchFormula(OptimizerKind kind) {
  OptimizerFormula formula{.moments = MomentOrder::kLerp};
  if (kind == OptimizerKind::kSgd) return formula;
  if (kind == OptimizerKind::kLamb || kind == OptimizerKind::kMuon)
    throw std::invalid_argument("formula of torch: expected sgd, adam or adamw, got " + ToString(kind));
  formula.bias_correction = BiasCorrection::kFolded;
  formula.update = UpdateOrder::kProductFirst;
  formula.beta_powers = BetaPowers::kCurrent;
  formula.decay = kind == OptimizerKind::kAdam ? DecayPosition::kGradient : DecayPosition::kBefore;
  return formula;
}

}  // namespace zerocts
