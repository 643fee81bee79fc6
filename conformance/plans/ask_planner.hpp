// Anybody's planners by name, and one plan of one of them.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts {

/// Our own (plan::PlannerNames()) and those of frameworks.
std::vector<std::string> PlannersByName();

/// The plan of a planner that FuzzPlanner takes, on replicate x shard. Throws UsageError: it refused, answered no plan,
/// or ended.
plan::Plan AskPlanner(const std::string& planner, const plan::Model& model, int replicas, int shards, int stage);

}  // namespace zerocts
