// Our own planners (reference/plan/ours/our_plans.hpp), asked as anybody's.
#pragma once
#include <memory>
#include <string>

#include "conformance/plans/fuzz/planner.hpp"

namespace zerocts {

/// `name` is among PlannerNames().
std::unique_ptr<Planner> NativePlanner(const std::string& name);

}  // namespace zerocts
