// A plan as JSON, which plan.schema.json describes field by field.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "reference/plan/plan.hpp"

namespace zerocts::plan {

inline constexpr int kFormatVersion = 1;

/// One tensor, division and state per line.
std::string JsonText(const Plan& plan);
std::string JsonText(const Model& model);

/// Throws std::invalid_argument: which field, what was expected, what was got; also where the plan has a problem
/// (problem.hpp).
Plan PlanFromJson(const nlohmann::json& value);
/// Of {"model": [..]} or of the array alone.
Model ModelFromJson(const nlohmann::json& value);

/// Of text from outside, within the limits of ParseJson.
Plan PlanFromText(std::string_view text);

}  // namespace zerocts::plan
