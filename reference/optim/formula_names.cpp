#include "reference/optim/formula_names.hpp"

#include <stdexcept>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<MomentOrder> kMomentOrders[] = {{MomentOrder::kFma, "fma"}, {MomentOrder::kLerp, "lerp"}};
constexpr EnumName<DecayPlace> kDecayPlaces[] = {{DecayPlace::kUpdate, "update"},
                                                 {DecayPlace::kBefore, "before"},
                                                 {DecayPlace::kAfter, "after"},
                                                 {DecayPlace::kGradient, "gradient"}};
constexpr EnumName<BiasCorrection> kBiasCorrections[] = {
    {BiasCorrection::kSeparate, "separate"}, {BiasCorrection::kFolded, "folded"}, {BiasCorrection::kNone, "none"}};
constexpr EnumName<EpsilonPlace> kEpsilonPlaces[] = {{EpsilonPlace::kOutside, "outside"},
                                                     {EpsilonPlace::kOutsideUncorrected, "outside_uncorrected"},
                                                     {EpsilonPlace::kInside, "inside"},
                                                     {EpsilonPlace::kInsideUncorrected, "inside_uncorrected"}};
constexpr EnumName<UpdateOrder> kUpdateOrders[] = {{UpdateOrder::kQuotient, "quotient"},
                                                   {UpdateOrder::kProductFirst, "product_first"}};
constexpr EnumName<ProductRounding> kProductRoundings[] = {{ProductRounding::kFused, "fused"},
                                                           {ProductRounding::kRounded, "rounded"}};
constexpr EnumName<BetaPowers> kBetaPowers[] = {{BetaPowers::kProduct, "product"}, {BetaPowers::kCurrent, "current"}};

}  // namespace

std::string ToString(MomentOrder order) { return NameOf(kMomentOrders, order); }
std::string ToString(DecayPlace place) { return NameOf(kDecayPlaces, place); }
std::string ToString(BiasCorrection correction) { return NameOf(kBiasCorrections, correction); }
std::string ToString(EpsilonPlace place) { return NameOf(kEpsilonPlaces, place); }
std::string ToString(UpdateOrder order) { return NameOf(kUpdateOrders, order); }
std::string ToString(ProductRounding rounding) { return NameOf(kProductRoundings, rounding); }
std::string ToString(BetaPowers powers) { return NameOf(kBetaPowers, powers); }

MomentOrder MomentOrderFromString(const std::string& name) { return FromName(kMomentOrders, "moments", name); }
DecayPlace DecayPlaceFromString(const std::string& name) { return FromName(kDecayPlaces, "decay", name); }
BiasCorrection BiasCorrectionFromString(const std::string& name) {
  return FromName(kBiasCorrections, "bias_correction", name);
}
EpsilonPlace EpsilonPlaceFromString(const std::string& name) { return FromName(kEpsilonPlaces, "epsilon", name); }
UpdateOrder UpdateOrderFromString(const std::string& name) { return FromName(kUpdateOrders, "update", name); }
ProductRounding ProductRoundingFromString(const std::string& name) {
  return FromName(kProductRoundings, "products", name);
}

BetaPowers BetaPowersFromString(const std::string& name) { return FromName(kBetaPowers, "beta_powers", name); }

OptimizerFormula TorchFormula(OptimizerKind kind) {
  OptimizerFormula formula{.moments = MomentOrder::kLerp};
  if (kind == OptimizerKind::kSgd) return formula;
  if (kind == OptimizerKind::kLamb)
    throw std::invalid_argument("formula of torch: expected sgd, adam or adamw, got lamb");
  formula.bias_correction = BiasCorrection::kFolded;
  formula.update = UpdateOrder::kProductFirst;
  formula.beta_powers = BetaPowers::kCurrent;
  formula.decay = kind == OptimizerKind::kAdam ? DecayPlace::kGradient : DecayPlace::kBefore;
  return formula;
}

}  // namespace zerocts
