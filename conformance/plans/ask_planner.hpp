// One plan of anybody's planner.
#pragma once
#include <string>

#include "conformance/plans/fuzz/planning_request.hpp"

namespace zerocts {

/// `planner` as PlannerNamed takes it. Throws UsageError: it refused, answered no plan, or ended.
plan::Plan AskPlanner(const std::string& planner, const PlanningRequest& request);

}  // namespace zerocts
