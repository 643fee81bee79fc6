// Is an observation well formed and complete? Nothing is compared before it is, and what was not shown is never taken
// for right.
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Ranks 0 .. W-1 in order; every record names a tensor, a step and an interval of the case, and has as many values as
/// the interval.
std::optional<Finding> CheckWellFormed(const Case& c, const std::vector<RankObservation>& ranks);

/// Every rank was fed what the case says: the hash of its inputs is input_hashes[rank].
std::optional<Finding> CheckInputs(const std::vector<RankObservation>& ranks,
                                   const std::vector<std::string>& input_hashes);

/// One loss per micro-batch of the rank.
std::optional<Finding> CheckLossCount(const Experiment& experiment, int rank, const StepScalars& scalars);

/// Every rank showed what the case asks for: all elements of the parameters and of all read variants, scalars of every
/// step, and of each state that any rank showed all that the rank owns.
std::optional<Finding> CheckComplete(const Case& c, const std::vector<RankObservation>& ranks);

}  // namespace zerocts
