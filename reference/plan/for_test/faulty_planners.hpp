// Planners that are wrong in the ways that real ones were, and benign ones that look strange and are right.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/plan/judge/judge.hpp"

namespace zerocts::plan {

/// What a planner is asked: a model on `replicas` times `shards` ranks.
struct PlannerCase {
  Model model;
  int replicas = 1, shards = 1;
};

struct FaultyPlanner {
  std::string name;
  Property broken;  // at least this one, on some case
  std::function<Plan(const PlannerCase&)> plan;
};

/// Each breaks its property on some cases of every seed.
std::vector<FaultyPlanner> FaultyPlanners();

struct BenignPlanner {
  std::string name;
  std::function<Plan(const PlannerCase&)> plan;
};
std::vector<BenignPlanner> BenignPlanners();

}  // namespace zerocts::plan
