// Makes the probes of a dimension: ways in which a case asks for its values.
#pragma once
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {

/// `change` takes the case; what is declared does not matter to it.
template <typename Change>
UndeclaredProbe ProbeFor(Change change) {
  return [change = std::move(change)](Case& c, const Capabilities&) { change(c); };
}

/// One probe per value; `change` takes the case and the value, and what is declared if it matters to it.
template <typename Value, typename Change>
std::vector<UndeclaredProbe> ProbeForEach(const std::vector<Value>& values, Change change) {
  std::vector<UndeclaredProbe> probes;
  for (const Value& value : values) {
    if constexpr (std::is_invocable_v<Change, Case&, Value, const Capabilities&>) {
      probes.push_back([=](Case& c, const Capabilities& can) { change(c, value, can); });
    } else {
      probes.push_back(ProbeFor([=](Case& c) { change(c, value); }));
    }
  }
  return probes;
}

/// So that something can happen between two steps.
inline void HaveTwoSteps(Case& c) {
  if (c.experiment.steps < 2) c.experiment.steps = 2;
}

}  // namespace zerocts
