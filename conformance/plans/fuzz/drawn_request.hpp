// Requests at random: RapidCheck draws them, shrinks them, and prefers the boundaries at which planners go wrong.
#pragma once
#include <rapidcheck.h>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/plans/fuzz/planning_request.hpp"

namespace zerocts {

/// What requests are drawn from.
struct RequestSpace {
  int most_tensors = 3000, most_ranks = 64;
  int64_t largest = 1'000'000'000'000;  // elements of one tensor
  std::vector<int> stages = {1, 2, 3};
  std::vector<int64_t> buckets = {0}, alignments = {1};
  std::optional<int64_t> balance;              // of every request
  std::map<std::string, std::string> options;  // as above
};

/// Half of all models have at most 8 tensors, one in 50 has hundreds or thousands. Sizes are 0, 1, around the number of
/// shards and its multiples, around powers of two, beyond 32 bits; some tensors are tied or frozen, some in other
/// groups or dtypes. Shrinks as SimplerRequests says.
rc::Gen<PlanningRequest> RequestsOf(const RequestSpace& space);

/// "aaab" for 1: the last part of a name, in the order of numbers. Digits would be taken for those of a block.
std::string Letters(size_t number);

/// A request with all that SimplerRequests makes of it, and of those, and so on.
rc::Shrinkable<PlanningRequest> Shrinkable(const PlanningRequest& request);

/// Requests that are smaller in one thing and larger in none, the smallest first: fewer tensors, fewer ranks, smaller
/// tensors, no marks.
std::vector<PlanningRequest> SimplerRequests(const PlanningRequest& request);

}  // namespace zerocts
