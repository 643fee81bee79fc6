#include "conformance/host/capability_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/cases/beyond_abi.hpp"

namespace zerocts {

namespace {

template <typename Item>
bool Has(const std::vector<Item>& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

template <typename Enum>
std::vector<std::string> Names(const std::vector<Enum>& values) {
  std::vector<std::string> names;
  for (const Enum value : values) names.push_back(ToString(value));
  return names;
}

template <typename Item>
std::string Beyond(const std::string& what, const std::vector<Item>& declared) {
  return declared.empty() ? what + " (nothing of the kind is declared)" : fmt::format("{} (declared: {})", what, fmt::join(declared, ", "));
}

}  // namespace

std::string BeyondCapabilities(const Case& c, const Capabilities& can, bool ranks_share_process) {
  const Experiment& e = c.experiment;
  if (std::string beyond = BeyondAbi(e); !beyond.empty()) return beyond;
  if (!Has(can.stages, c.stage)) return Beyond(fmt::format("stage {}", c.stage), can.stages);
  if (!Has(can.param_dtypes, e.precision)) return Beyond(ToString(e.precision) + " parameters", Names(can.param_dtypes));
  if (!Has(can.optimizers, e.optimizer)) return Beyond("the optimizer " + ToString(e.optimizer), Names(can.optimizers));
  if (e.world_size < can.min_world_size || e.world_size > can.max_world_size) {
    return fmt::format("{} ranks (declared: {} to {})", e.world_size, can.min_world_size, can.max_world_size);
  }
  if (ranks_share_process && !can.ranks_as_threads) return "ranks as threads of one process (not declared)";
  if (c.reduction_order != "any" && !Has(can.reduction_orders, c.reduction_order)) {
    return Beyond("the reduction order " + c.reduction_order, can.reduction_orders);
  }
  if (!c.plan.empty() && !Has(can.plans, c.plan)) return Beyond("the plan " + c.plan, can.plans);
  if (c.bucket_cap_bytes && !can.bucket_cap_bytes) return "bucket_cap_bytes (not declared)";
  if (e.max_norm != 0.0f && !can.clip) return "clip (not declared)";
  if (e.micro_batches > 1 && !can.accumulation) return "accumulation (not declared)";
  if (e.groups.size() > 1 && !can.groups) return "groups (not declared)";
  if (!e.changes.empty() && !can.set_group) return "set_group (not declared)";
  return "";
}

}  // namespace zerocts
