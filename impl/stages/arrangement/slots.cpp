#include "impl/stages/arrangement/slots.hpp"

#include <algorithm>

namespace zerocts::engine {

SlotPlan PlanSlots(const std::vector<ShardingUnit>& units, const std::vector<int64_t>& bytes_of_unit) {
  SlotPlan plan;
  plan.bytes.resize(2);
  int turns = 0;
  for (size_t s = 0; s < units.size(); ++s) {
    if (units[s].used_once()) {
      plan.slot_of_unit.push_back(turns++ % 2);
    } else {
      plan.slot_of_unit.push_back(static_cast<int>(plan.bytes.size()));
      plan.bytes.push_back(0);
    }
    int64_t& bytes = plan.bytes[plan.slot_of_unit.back()];
    bytes = std::max(bytes, bytes_of_unit[s]);
  }
  return plan;
}

}  // namespace zerocts::engine
