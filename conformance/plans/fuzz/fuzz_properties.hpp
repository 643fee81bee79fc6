// What is asked of a planner's answers: the ten properties of a sound plan (reference/plan/judge/judge.hpp), and what
// only a planner can break.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/plans/fuzz/asked_case.hpp"

namespace zerocts {

/// Nothing: the property asks nothing of this case. "": it holds. Else what breaks it.
using Finding = std::optional<std::string>;

struct FuzzProperty {
  std::string name;
  enum class Of {
    kAnswer,
    kPlan,
    kPlanner
  } of;                                      // what it is judged from: of a plan `zerocts plan verify` judges it, too
  std::function<Finding(AskedCase&)> judge;  // throws PlannerEnded
};

/// `growth`: by how many elements a rank may need more memory on more ranks; absent: not asked.
std::vector<FuzzProperty> FuzzProperties(std::optional<int64_t> growth);

}  // namespace zerocts
