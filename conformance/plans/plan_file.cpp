#include "conformance/plans/plan_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/affine_map.hpp"
#include "reference/plan/plan_csv.hpp"
#include "reference/plan/plan_json.hpp"

namespace zerocts {
namespace {

constexpr JsonLimits kLimits{.bytes = size_t{1} << 30};

plan::Plan FromText(const std::string& path, const std::string& text, const std::optional<plan::Model>& model) {
  if (path.ends_with(".csv")) return plan::PlanFromCsv(text, model);
  const nlohmann::json value = ParseJson(text, kLimits);
  return plan::IsAffineMap(value) ? plan::PlanFromAffineMap(value) : plan::PlanFromJson(value);
}

}  // namespace

plan::Plan LoadPlan(const std::string& path, const std::optional<plan::Model>& model) {
  const std::optional<std::string> text = JsonFileText(path, kLimits);
  if (!text || std::filesystem::is_directory(path))
    throw UsageError(fmt::format("plan {}: expected a file that can be read; check the path", path));
  if (text->size() > kLimits.bytes) throw UsageError(fmt::format("plan {}: expected at most 1 GiB", path));
  try {
    return FromText(path, *text, model);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("plan {}: {}", path, wrong.what()));
  }
}

}  // namespace zerocts
