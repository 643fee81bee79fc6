// Small plans for tests.
#pragma once
#include <string>
#include <utility>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

inline Model TensorsOf(const std::vector<std::vector<int64_t>>& shapes) {
  Model model;
  for (const auto& shape : shapes) model.push_back({.name = "p" + std::to_string(model.size()), .shape = shape});
  return model;
}

/// All three states are divided alike among `shards` ranks.
inline Plan DividedBy(Division division, int shards, Model model) {
  if (division.tensors.empty()) division.tensors = {{0, static_cast<int32_t>(model.size())}};
  return {.planner = "test",
          .model = std::move(model),
          .mesh = {{{"shard", shards}}},
          .shardings = {{{"shard"}, {std::move(division)}}},
          .sharding_of = {0, 0, 0}};
}

inline Division Each(Rule rule) { return {.each = true, .rule = std::move(rule)}; }
inline Division Flat(Rule rule) { return {.each = false, .rule = std::move(rule)}; }

}  // namespace zerocts::plan
