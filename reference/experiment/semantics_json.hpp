// Training semantics as JSON: the parts of an experiment that may be absent when they have their default value.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "reference/experiment/experiment.hpp"
#include "reference/experiment/json_fields.hpp"

namespace zerocts {

nlohmann::json FormulaToJson(const OptimizerFormula& formula);
/// Throws std::invalid_argument with a sentence that names the field; `path` leads to the formula.
OptimizerFormula FormulaFrom(const nlohmann::json& value, const std::string& path);

/// Adds the fields "formula", "clip_norm", "clip_formula", "accumulation", "reduction", "loss_scaling", "roles" and
/// "planted" to an experiment's JSON.
void AddSemantics(const Experiment& experiment, nlohmann::json& object);
/// Reads those of them that are there. Throws std::invalid_argument with a sentence that names the field.
void ReadSemantics(JsonFields& fields, Experiment& experiment);

}  // namespace zerocts
