// Intervals by where they begin, in time that grows with their number and hardly faster.
#pragma once
#include <span>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

/// Without empty ones. All lie within [0, length).
struct Held {
  int64_t begin, end;
  int32_t shard;
};
std::vector<Held> SortedByBegin(std::span<const Interval> intervals, int64_t length);

}  // namespace zerocts::plan
