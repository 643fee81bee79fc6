// A plan from a file of any form that we read.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "reference/plan/value/plan.hpp"

namespace zerocts {

/// JSON of ours, DeepSpeed's affine map, or CSV (by its ending .csv, with the tensors of `model` when it is given).
/// Throws UsageError.
plan::Plan LoadPlan(const std::string& path, const std::optional<plan::Model>& model = std::nullopt);

/// The same from what stands in a file. Throws std::invalid_argument.
plan::Plan PlanFromFileText(std::string_view text, bool is_csv, const std::optional<plan::Model>& model = std::nullopt);

}  // namespace zerocts
