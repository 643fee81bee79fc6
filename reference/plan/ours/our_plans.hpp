// Our own plans, by name and stage; the engine makes the same ones as layouts (impl/layout/plans.hpp says what each
// is).
#pragma once
#include <string>
#include <vector>

#include "reference/plan/ours/owners.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

struct PlanRequest {
  std::string planner = "contiguous";
  Model model;
  int stage = 3;     // 0 divides nothing, 1 the optimizer state, 2 gradients too, 3 parameters too
  int ranks = 1;     // of all replicas
  int replicas = 1;  // whose ranks are divided among themselves only
  int64_t alignment = 1;
  RestOwners rest;  // of the block planners
};

const std::vector<std::string>& PlannerNames();

/// May a rank need more memory on more ranks? Plans by owner do: with sizes 5, 1, 1, 5 dealt out in turn, two ranks
/// have 6 each, and of three ranks one has 10.
bool MayGrowWithRanks(const std::string& planner);

/// Throws std::invalid_argument: an unknown name, or numbers that make no sense.
Plan MakePlan(const PlanRequest& request);

}  // namespace zerocts::plan
