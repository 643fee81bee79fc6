// What plans.cpp chooses from: one function per family of plans, each in a file of its name. Requests were checked.
#pragma once
#include <vector>

#include "impl/layout/plans.hpp"

namespace zerocts::engine {

/// Which parameters make up each bucket: both ascending, at least one bucket. See PlanRequest::bucket_numel.
std::vector<std::vector<int>> ParametersOfBuckets(const PlanRequest& request);

Layout PlanContiguous(const PlanRequest& request);

Layout PlanPadded(const PlanRequest& request);

/// Part s of a parameter is items [s * k, (s + 1) * k), k = ceil(items / W): its elements, or its rows.
Layout PlanPerParameter(const PlanRequest& request);
Layout PlanPerParameterRows(const PlanRequest& request);

/// owners[p]: the rank that has all of parameter p. In a bucket parameters stand in the order of their owners, then of
/// registration.
Layout PlanByOwner(const PlanRequest& request, const std::vector<int>& owners);

/// Reads request.plan = "file:PATH", a plan of reference/plan as JSON. Each parameter has a cut for every time that its
/// shards begin anew: one where each shard has one range of it, in their order. Throws std::invalid_argument for a file
/// that cannot be read, a plan that is not sound or of another model or mesh, and one whose states are divided
/// differently.
Layout PlanOfFile(const PlanRequest& request);

std::vector<int> RoundRobinOwners(const PlanRequest& request);
std::vector<int> BalancedOwners(const PlanRequest& request);
std::vector<int> BlockRoundRobinOwners(const PlanRequest& request);
std::vector<int> BlockContiguousOwners(const PlanRequest& request);

}  // namespace zerocts::engine
