#include "impl/stages/arrangement/slots.hpp"

#include <algorithm>

namespace zerocts::engine {

SlotPlan PlanSlots(const std::vector<Section>& sections, const std::vector<int64_t>& bytes_of_section) {
  SlotPlan plan;
  plan.bytes.resize(2);
  int turns = 0;
  for (size_t s = 0; s < sections.size(); ++s) {
    if (sections[s].used_once()) {
      plan.slot_of_section.push_back(turns++ % 2);
    } else {
      plan.slot_of_section.push_back(static_cast<int>(plan.bytes.size()));
      plan.bytes.push_back(0);
    }
    int64_t& bytes = plan.bytes[plan.slot_of_section.back()];
    bytes = std::max(bytes, bytes_of_section[s]);
  }
  return plan;
}

}  // namespace zerocts::engine
