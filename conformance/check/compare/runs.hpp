// Do two runs have the same bits?
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Two runs of which only the layout or the poison differs: equal bits of parameters, states (put together over ranks),
/// scalars of the steps, losses.
std::optional<Finding> CompareRuns(const Case& a, const std::vector<RankObservation>& ranks_a, const Case& b,
                                   const std::vector<RankObservation>& ranks_b, const std::string& what_differs);

/// Self parity: `ranks` ran `c`, `one_rank` the same global batches on one rank of the same subject (OnOneRank): equal
/// bits of parameters, states and scalars as above, and of the losses of each micro-batch.
std::optional<Finding> CompareWithOneRank(const Case& c, const std::vector<RankObservation>& ranks, const Case& alone,
                                          const std::vector<RankObservation>& one_rank);

}  // namespace zerocts
