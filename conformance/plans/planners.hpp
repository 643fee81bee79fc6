// Our own plans, by name and stage.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/owners.hpp"
#include "reference/plan/plan.hpp"

namespace zerocts {

struct PlanRequest {
  std::string planner = "contiguous";
  plan::Model model;
  int stage = 3;     // 0 divides nothing, 1 the optimizer state, 2 gradients too, 3 parameters too
  int ranks = 1;     // of all replicas
  int replicas = 1;  // whose ranks are divided among themselves only
  int64_t alignment = 1;
  RestOwners rest;  // of the block planners
};

const std::vector<std::string>& PlannerNames();

/// Throws UsageError: an unknown name, or numbers that make no sense.
plan::Plan MakePlan(const PlanRequest& request);

}  // namespace zerocts
