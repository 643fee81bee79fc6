// Does a step cost the same however many were made before it?
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// Nanoseconds of a rank's calls, by step; none: it does not tell the time of each.
std::vector<double> CpuOfSteps(const RankObservation& rank, int64_t steps);

/// The growth of a step's CPU time over the steady steps, as a share of what a step took at first.
struct CostGrowth {
  enum class Is { kSteady, kNotMeasured, kGrowing };  // not measured: its interval spans the limit
  Is is = Is::kNotMeasured;
  std::string sentence;  // of the first rank for which it is so
};

/// Sen's slope over minima of ten steps, which noise does not lower, with its interval of 99 % by Kendall's test. A
/// step may cost half as much more at the end.
CostGrowth CpuGrowthOf(const Case& c, const std::vector<RankObservation>& ranks);

}  // namespace zerocts
