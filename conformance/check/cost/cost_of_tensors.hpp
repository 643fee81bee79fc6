// Does a step of more tensors with as many elements cost no more than in proportion to their number?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// The same training with its elements in so many equal tensors.
Case InTensors(const Case& c, int tensors);

/// What the last step of a run of so many tensors moved, and what its cheapest step took.
struct CostOfTensors {
  int tensors = 0;
  uint64_t calls = 0, bytes = 0, seen_bytes = 0;  // of all ranks
  double cpu_ns = 0;                              // as above; 0: not told

  CostOfTensors(const Case& c, const std::vector<RankObservation>& ranks);
};

/// N times as many tensors make at most N times as many calls and bytes.
std::optional<Finding> CheckCountsInTensors(const CostOfTensors& few, const CostOfTensors& many);

/// CPU time, by the least and the most of several turns: it fails if even the least ratio is nearer to the square of N
/// than to N. Evidence: what spans that limit is not measured.
std::optional<Finding> CheckCpuInTensors(const std::vector<CostOfTensors>& few, const std::vector<CostOfTensors>& many,
                                         Evidence& evidence);

}  // namespace zerocts
