#include "conformance/contract/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

/// What the command line leaves of what the subject declares.
template <typename Item>
std::vector<Item> Left(const std::vector<Item>& chosen, const std::vector<Item>& declared) {
  std::vector<Item> left;
  std::ranges::copy_if(declared, std::back_inserter(left), [&](const Item& item) {
    return chosen.empty() || std::ranges::find(chosen, item) != chosen.end();
  });
  return left;
}

std::vector<int> ReplicasOf(int stage, int world_size, bool declared) {
  std::vector<int> replicas = {1};
  for (int r = 2; declared && stage > 0 && r <= world_size; ++r) {
    if (world_size % r == 0) replicas.push_back(r);
  }
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
  std::vector<std::string> plans = Left(settings.plans, can.plans);
  if (plans.empty()) plans = {""};
  Pairs pairs;
  for (const int stage : Left(settings.stages, can.stages)) {
    for (const Precision precision : Left(settings.precisions, can.param_dtypes)) {
      for (const int world_size : settings.world_sizes) {
        if (world_size < can.min_world_size || world_size > can.max_world_size) continue;
        for (const int replicas : ReplicasOf(stage, world_size, can.replicas)) {
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
