// Memory for whole sections, used in turn: neighbours never share one, so that one is filled while the other is
// computed with. A section that several units use has one of its own.
#pragma once
#include <cstdint>
#include <vector>

#include "impl/stages/arrangement/arrangement.hpp"

namespace zerocts::engine {

struct SlotPlan {
  std::vector<int> slot_of_section;
  std::vector<int64_t> bytes;  // of each slot: its largest section
};

/// bytes_of_section: [sections].
SlotPlan PlanSlots(const std::vector<Section>& sections, const std::vector<int64_t>& bytes_of_section);

}  // namespace zerocts::engine
