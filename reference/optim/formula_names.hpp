// Names of the choices of an optimizer's formula, and formulas of frameworks by name.
#pragma once
#include <string>

#include "reference/ops/optimizer_formula.hpp"
#include "reference/optim/hyper_parameters.hpp"

namespace zerocts {

std::string ToString(MomentOrder order);          // "fma", "lerp"
std::string ToString(DecayPosition position);     // "update", "before", "after", "gradient"
std::string ToString(BiasCorrection correction);  // "separate", "folded", "none"
std::string ToString(EpsilonPosition position);   // "outside", "outside_uncorrected", "inside", "inside_uncorrected"
std::string ToString(UpdateOrder order);          // "quotient", "product_first"
std::string ToString(ProductRounding rounding);   // "fused", "rounded"
std::string ToString(BetaPowers powers);          // "product", "current"
std::string ToString(MatrixProducts products);    // "fp32", "bf16"
// Throw std::invalid_argument, what is known and what was got.
MomentOrder MomentOrderFromString(const std::string& name);
DecayPosition DecayPositionFromString(const std::string& name);
BiasCorrection BiasCorrectionFromString(const std::string& name);
EpsilonPosition EpsilonPositionFromString(const std::string& name);
UpdateOrder UpdateOrderFromString(const std::string& name);
ProductRounding ProductRoundingFromString(const std::string& name);
BetaPowers BetaPowersFromString(const std::string& name);
MatrixProducts MatrixProductsFromString(const std::string& name);

/// PyTorch's loops over single tensors on CPUs (foreach=False, fused=False), fp32, when its kernels are the ones for
/// AVX2 or AVX-512: AdamW, Adam and SGD. On its kernels for other x86 CPUs (ATEN_CPU_CAPABILITY=default) the same with
/// ProductRounding::kRounded. Checked bit for bit in torch_formula_test.cpp. Throws std::invalid_argument for LAMB,
/// which PyTorch does not have, and for Muon, whose products it leaves to a library.
OptimizerFormula TorchFormula(OptimizerKind kind);

}  // namespace zerocts
