// How a clause is checked: what its cases are drawn from, and who judges each. Every clause's file registers its own.
#pragma once
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/contract/trial.hpp"

namespace zerocts {

/// Judges one case: runs it (once or in variants) and says what is wrong, or nothing.
using Judge = std::function<std::optional<Finding>(Trial& trial, const Case& c)>;

struct ClauseCheck {
  std::function<CaseSpace()> space;  // its `clause` is the id, its `fidelity` follows from the clause's
  Judge judge;
};
const ClauseCheck& FindClauseCheck(const std::string& clause_id);  // throws std::out_of_range

/// Steps of SGD and AdamW from arbitrary weights. A clause narrows it.
inline CaseSpace TrainingSpace(std::vector<GradientSource> gradients = {GradientSource::kUniform,
                                                                        GradientSource::kIndexCoded}) {
  CaseSpace space;
  space.gradients = std::move(gradients);
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  return space;
}

/// For `finish`: where ranks compute a model, its weights begin as a model's.
inline void UseModelWeights(Case& c) {
  if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
}

/// For `keep`.
inline bool ScalesLoss(const Case& c) { return c.experiment.loss_scaling.kind != LossScaleKind::kNone; }

/// One per clause's file, made before main. The clause's family is the folder of the file.
struct RegisteredClause {
  RegisteredClause(Clause clause, CaseSpace (*space)(), Judge judge,
                   const std::source_location& file = std::source_location::current());
};

}  // namespace zerocts
