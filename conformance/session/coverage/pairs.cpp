#include "conformance/session/coverage/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"

namespace zerocts {
namespace {

/// Stage, plan, precision, mesh.
using Values = std::array<std::string, 4>;

Values ValuesOf(int stage, const std::string& plan, Precision precision, int replicas, int world_size) {
  return {fmt::format("stage {}", stage), "plan " + (plan.empty() ? "of its own" : plan), ToString(precision),
          fmt::format("mesh {} x {}", replicas, world_size / replicas)};
}

void AddPairs(const Values& values, Pairs& pairs) {
  for (size_t second = 1; second < values.size(); ++second) {
    for (size_t first = 0; first < second; ++first) pairs.insert(values[first] + " + " + values[second]);
  }
}

/// 1 is the mesh without replicas.
std::vector<int> ReplicasOf(int stage, int world_size, bool declared) {
  std::vector<int> replicas = {1};
  if (declared && stage > 0) std::ranges::copy(ReplicaCounts(world_size), std::back_inserter(replicas));
  return replicas;
}

}  // namespace

Pairs PairsOf(const Case& c) {
  Pairs pairs;
  AddPairs(ValuesOf(c.stage, c.plan, c.experiment.precision, c.replicas, c.world_size()), pairs);
  return pairs;
}

Pairs PossiblePairs(const SessionSettings& settings) {
  const Capabilities& can = settings.info.capabilities;
  std::vector<std::string> plans = Narrowed(can, settings.constraints).plans;
  if (plans.empty()) plans = {""};
  Pairs pairs;
  for (const int stage : can.stages) {
    if (!MissingFor(fmt::format("stage{}", stage), settings).empty()) continue;
    for (const Precision precision : Common(settings.precisions, can.param_dtypes)) {
      for (const int world_size : settings.world_sizes) {
        if (world_size < can.min_world_size || world_size > can.max_world_size) continue;
        for (const int replicas : ReplicasOf(stage, world_size, can.replicas)) {
          if (replicas < can.min_replicas || !Allows(settings.constraints, "mesh", std::to_string(replicas))) continue;
          for (const std::string& plan : plans) {
            AddPairs(ValuesOf(stage, plan, precision, replicas, world_size), pairs);
          }
        }
      }
    }
  }
  return pairs;
}

}  // namespace zerocts
