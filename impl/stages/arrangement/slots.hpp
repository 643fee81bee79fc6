// Memory for whole sharding units, used in turn: neighbours never share one, so that one is filled while the other is
// computed with. A sharding unit that several units of the model use has one of its own.
#pragma once
#include <cstdint>
#include <vector>

#include "impl/stages/arrangement/arrangement.hpp"

namespace zerocts::engine {

struct SlotPlan {
  std::vector<int> slot_of_unit;
  std::vector<int64_t> bytes;  // of each slot: its largest sharding unit
};

/// bytes_of_unit: [units].
SlotPlan PlanSlots(const std::vector<ShardingUnit>& units, const std::vector<int64_t>& bytes_of_unit);

}  // namespace zerocts::engine
