// Under which circumstances does a run fail? "zero_numel": only cases with a parameter of no elements do.
#pragma once
#include <string>
#include <vector>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// A feature (cases/whole/features.hpp) that all failing cases have, or that none of them has.
struct Circumstance {
  std::string feature;
  bool present = true;
  double chance = 1;  // how probable this is of cases that fail whatever they have

  std::string Text() const;  // "zero_numel", "no zero_numel"
};

/// Above it, what failing cases have in common may be chance.
inline constexpr double kChance = 0.05;

/// The least probable first. A case that fails whatever it has is any case of its clause: it has a feature as probably
/// as the clause's cases have it. Failures that were expected do not count, nor do cases that cannot be read.
std::vector<Circumstance> CircumstancesOf(const RunView& view);

}  // namespace zerocts
