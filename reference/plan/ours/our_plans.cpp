#include "reference/plan/ours/our_plans.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "reference/plan/runs/problem.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::plan {

namespace {

/// Tensors that have elements of their own, trained or frozen: another name of one has none.
std::vector<TensorRange> RangesOf(const Model& model, bool frozen) {
  std::vector<TensorRange> ranges;
  for (int32_t t = 0; t < std::ssize(model); ++t) {
    if (model[t].tied_to >= 0 || model[t].frozen != frozen) continue;
    if (!ranges.empty() && ranges.back().end == t) {
      ++ranges.back().end;
    } else {
      ranges.push_back({t, t + 1});
    }
  }
  return ranges;
}

using Divisions = std::vector<Division>;

/// One division for what is trained and one for what is frozen, as far as there are such tensors.
template <typename Make>
Divisions ForTrainedAndFrozen(const PlanRequest& request, Make make) {
  Divisions divisions;
  for (const bool frozen : {false, true}) {
    const std::vector<TensorRange> ranges = RangesOf(request.model, frozen);
    if (ranges.empty()) continue;
    divisions.push_back(make(ranges));
    divisions.back().tensors = ranges;
  }
  return divisions;
}

Divisions Contiguous(const PlanRequest& request, int) {
  return ForTrainedAndFrozen(request, [](const auto&) { return Division{.each = false, .rule = Even{}}; });
}

/// A buffer whose parts are equal, and aligned.
Divisions Padded(const PlanRequest& request, int shards) {
  return ForTrainedAndFrozen(request, [&](const std::vector<TensorRange>& ranges) {
    int64_t end = 0;
    for (const auto& [first, last] : ranges) {
      for (int32_t t = first; t < last; ++t) end = RoundedUp(end, request.alignment) + request.model[t].numel();
    }
    Division division{.each = false, .rule = Ceil{}, .offset_alignment = request.alignment};
    division.length = RoundedUp(end, CheckedProduct(shards, request.alignment));
    return division;
  });
}

Divisions PerParameter(const PlanRequest& request, int) {
  return ForTrainedAndFrozen(request, [](const auto&) { return Division{.rule = Ceil{}}; });
}

Divisions PerParameterRows(const PlanRequest& request, int) {
  return ForTrainedAndFrozen(request, [](const auto&) { return Division{.rule = Rows{}}; });
}

template <typename OwnersOf>
Divisions ByOwner(const PlanRequest& request, OwnersOf owners_of) {
  return ForTrainedAndFrozen(request, [&](const std::vector<TensorRange>& ranges) {
    std::vector<std::string> names;
    std::vector<int64_t> numel;
    for (const auto& [first, end] : ranges) {
      for (int32_t t = first; t < end; ++t)
        names.push_back(request.model[t].name), numel.push_back(request.model[t].numel());
    }
    return Division{.rule = Owners{owners_of(names, numel)}};
  });
}

Divisions RoundRobin(const PlanRequest& request, int shards) {
  return ByOwner(request, [&](const auto& names, const auto&) { return RoundRobinOwners(names.size(), shards); });
}

Divisions Balanced(const PlanRequest& request, int shards) {
  return ByOwner(request, [&](const auto&, const auto& numel) { return BalancedOwners(numel, shards); });
}

template <ZeroShardMap (*map_of)(int64_t, int)>
Divisions Blocks(const PlanRequest& request, int shards) {
  return ByOwner(request, [&](const auto& names, const auto& numel) {
    return BlockOwners(names, numel, map_of(NumBlocks(names), shards), request.rest);
  });
}

struct Planner {
  const char* name;
  Divisions (*divide)(const PlanRequest&, int shards);
};

constexpr Planner kPlanners[] = {
    {"contiguous", Contiguous},
    {"padded", Padded},
    {"per-parameter", PerParameter},
    {"per-parameter-rows", PerParameterRows},
    {"round-robin", RoundRobin},
    {"balanced", Balanced},
    {"block-round-robin", Blocks<ZeroShardMap::RoundRobin>},
    {"block-contiguous", Blocks<ZeroShardMap::Contiguous>},
};

const Planner& PlannerNamed(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kPlanners), std::end(kPlanners), [&](const Planner& p) { return p.name == name; });
  if (found != std::end(kPlanners)) return *found;
  throw std::invalid_argument(fmt::format("--plan: expected {}, got '{}'", fmt::join(PlannerNames(), ", "), name));
}

void RequireSense(const PlanRequest& request) {
  if (request.replicas < 1 || request.ranks % request.replicas != 0) {
    throw std::invalid_argument(
        fmt::format("--replicas: expected a divisor of the {} ranks, got {}", request.ranks, request.replicas));
  }
  if (request.alignment != 1 && request.planner != "padded") {
    throw std::invalid_argument(
        fmt::format("--alignment: expected plan padded, whose parts can be aligned, got plan {}", request.planner));
  }
}

}  // namespace

const std::vector<std::string>& PlannerNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Planner& planner : kPlanners) all.push_back(planner.name);
    return all;
  }();
  return names;
}

bool MayGrowWithRanks(const std::string& planner) {
  return planner == "round-robin" || planner == "balanced" || planner.starts_with("block-");
}

Plan MakePlan(const PlanRequest& request) {
  const Planner& planner = PlannerNamed(request.planner);
  RequireSense(request);
  const int shards = request.ranks / request.replicas;
  Plan made{.planner = request.planner, .model = request.model, .mesh = HybridMesh(request.replicas, shards)};
  made.alignment = request.alignment;
  if (request.stage >= 1) {
    try {
      made.shardings = {{{"shard"}, planner.divide(request, shards)}};
    } catch (const std::invalid_argument& wrong) {
      throw std::invalid_argument(fmt::format("plan {}: {}", request.planner, wrong.what()));
    }
    if (request.planner == "contiguous") made.balance = std::ssize(made.shardings[0].divisions);  // one per buffer
    made.sharding_of = {request.stage >= 3 ? 0 : Plan::kWhole, request.stage >= 2 ? 0 : Plan::kWhole, 0};
  }
  const std::string problem = Problem(made);
  if (!problem.empty()) throw std::invalid_argument(fmt::format("plan {}: {}", request.planner, problem));
  return made;
}

}  // namespace zerocts::plan
