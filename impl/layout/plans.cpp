// Plans by name, and what a request must be.
#include "impl/layout/plans.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "impl/layout/plan_families.hpp"
#include "impl/layout/unimplemented.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine {
namespace {

struct Plan {
  std::string name;
  Layout (*make)(const PlanRequest&);
  bool owns_whole_parameters;
};

template <std::vector<int> (*owners)(const PlanRequest&)>
Layout MakeByOwner(const PlanRequest& request) {
  return PlanByOwner(request, owners(request));
}

const std::vector<Plan>& Plans() {
  static const std::vector<Plan> plans = {
      {"contiguous", PlanContiguous, false},
      {"padded", PlanPadded, false},
      {"per-parameter", PlanPerParameter, false},
      {"per-parameter-rows", PlanPerParameterRows, false},
      {"round-robin", MakeByOwner<RoundRobinOwners>, true},
      {"balanced", MakeByOwner<BalancedOwners>, true},
      {"block-round-robin", MakeByOwner<BlockRoundRobinOwners>, true},
      {"block-contiguous", MakeByOwner<BlockContiguousOwners>, true},
  };
  return plans;
}

const Plan& PlanOf(const std::string& name) {
  const auto plan = std::find_if(Plans().begin(), Plans().end(), [&](const Plan& p) { return p.name == name; });
  if (plan != Plans().end()) return *plan;
  throw Unimplemented(fmt::format("plan {} is unknown; this build has: {}, {}PATH", name, fmt::join(PlanNames(), ", "),
                                  kPlanFilePrefix));
}

void RequireSense(const PlanRequest& request) {
  if (request.shards < 1) throw std::invalid_argument(fmt::format("shards is {}: expected at least 1", request.shards));
  if (request.bucket_numel < 0) {
    throw std::invalid_argument(
        fmt::format("bucket_numel is {}: expected at least 1, or 0 for no limit", request.bucket_numel));
  }
  if (request.alignment < 1)
    throw std::invalid_argument(fmt::format("alignment is {}: expected at least 1", request.alignment));
  if (request.alignment > 1 && request.plan != "padded") {
    throw std::invalid_argument(fmt::format(
        "alignment is {}: expected 1 for plan {}, whose parts are as long as they are; plan padded can align them",
        request.alignment, request.plan));
  }
  int64_t total = 0;
  for (const PlanParameter& parameter : request.parameters) total = CheckedSum(total, parameter.numel());
}

}  // namespace

int64_t PlanParameter::numel() const {
  if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; })) {
    throw std::invalid_argument(fmt::format("parameter {} has shape {}: expected sizes of at least 0", name, shape));
  }
  if (std::count(shape.begin(), shape.end(), 0)) return 0;
  int64_t numel = 1;
  for (int64_t size : shape) numel = CheckedProduct(numel, size);
  return numel;
}

Layout MakeLayout(const PlanRequest& request) {
  const bool of_file = request.plan.starts_with(kPlanFilePrefix);
  const auto make = of_file ? PlanOfFile : PlanOf(request.plan).make;
  RequireSense(request);
  return make(request);
}

const std::vector<std::string>& PlanNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Plan& plan : Plans()) list.push_back(plan.name);
    return list;
  }();
  return names;
}

bool OwnsWholeParameters(const std::string& plan) { return PlanOf(plan).owns_whole_parameters; }

}  // namespace zerocts::engine
