// By which formula and fidelities what a subject declares can be judged.
#include <algorithm>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/capabilities/choices.hpp"

namespace zerocts {

OptimizerKind UsualOptimizer(const Capabilities& can) {
  const bool takes_adamw = can.optimizers.empty() || Contains(can.optimizers, OptimizerKind::kAdamW);
  return takes_adamw ? OptimizerKind::kAdamW : can.optimizers.front();
}

OptimizerFormula FormulaOf(const Capabilities& capabilities, OptimizerKind optimizer) {
  const auto found = capabilities.formulas.find(optimizer);
  return found == capabilities.formulas.end() ? OptimizerFormula{} : found->second;
}

Capabilities AtPrecision(Capabilities capabilities, Precision precision) {
  if (std::ranges::count(capabilities.ordered_dtypes, precision) == 0) capabilities.reduction_orders.clear();
  return capabilities;
}

bool NamesAnOrder(const Capabilities& capabilities) {
  return std::ranges::any_of(capabilities.reduction_orders, [](const std::string& order) { return order != "probed"; });
}

bool NamesAnOrderOfOneRank(const Capabilities& capabilities) {
  return std::ranges::any_of(capabilities.reduction_orders,
                             [](const std::string& order) { return order == "rank" || order == "tree"; });
}

bool IsJudgedBy(Fidelity fidelity, OptimizerKind optimizer, const Capabilities& capabilities) {
  return fidelity == Fidelity::kSelfParity || std::ranges::count(capabilities.own_formulas, optimizer) == 0;
}

bool AreModelsJudgedBy(Fidelity fidelity, const Capabilities& c) {
  if (fidelity == Fidelity::kBounded) return c.inexact_models || !c.own_models;
  if (fidelity == Fidelity::kSelfParity) return c.own_models || !c.inexact_models;
  return !c.inexact_models && !c.own_models;
}

}  // namespace zerocts
