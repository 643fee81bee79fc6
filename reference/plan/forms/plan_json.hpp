// A plan as JSON, which plan.schema.json describes field by field.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

inline constexpr int kFormatVersion = 1;

/// One tensor, division and state per line.
std::string JsonText(const Plan& plan);
std::string JsonText(const Model& model);

/// An array of tensors.
nlohmann::ordered_json ToJson(const Model& model);

/// `asked`: whose model and mesh the plan has where it leaves them out. Throws std::invalid_argument: which field, what
/// was expected, what was got; also where the plan has a problem (problem.hpp).
Plan PlanFromJson(const nlohmann::json& value, const Plan* asked = nullptr);
/// Reads {"model": [..]} or the array alone.
Model ModelFromJson(const nlohmann::json& value);

/// Reads text from outside, within the limits of ParseJson.
Plan PlanFromText(std::string_view text);

}  // namespace zerocts::plan
