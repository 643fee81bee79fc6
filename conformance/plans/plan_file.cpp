#include "conformance/plans/plan_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/forms/affine_map.hpp"
#include "reference/plan/forms/plan_csv.hpp"
#include "reference/plan/forms/plan_json.hpp"

namespace zerocts {
namespace {

constexpr JsonLimits kLimits{.bytes = size_t{1} << 30};

}  // namespace

plan::Plan PlanFromFileText(std::string_view text, bool is_csv, const std::optional<plan::Model>& model) {
  if (is_csv) return plan::PlanFromCsv(text, model);
  const nlohmann::json value = ParseJson(text, kLimits);
  return plan::IsAffineMap(value) ? plan::PlanFromAffineMap(value) : plan::PlanFromJson(value);
}

plan::Plan LoadPlan(const std::string& path, const std::optional<plan::Model>& model) {
  const std::optional<std::string> text = JsonFileText(path, kLimits);
  if (!text) throw UsageError(fmt::format("plan {}: expected a file that can be read; check the path", path));
  if (text->size() > kLimits.bytes) throw UsageError(fmt::format("plan {}: expected at most 1 GiB", path));
  try {
    return PlanFromFileText(*text, path.ends_with(".csv"), model);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("plan {}: {}", path, wrong.what()));
  }
}

}  // namespace zerocts
