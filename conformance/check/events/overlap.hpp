// Can collectives run beside computation?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// By the events of each rank: of the reductions that may run beside a computation, half at least are asked for before
/// one and waited for after it, and of the gathers as well.
///
/// - The reduction of a bucket may, when a backward comes after the one that completes its gradients.
/// - A gather may, when a computation of the same pass comes before the first one that needs it.
///
/// A model must have been computed by the ranks. One rank has nobody to wait for: nothing is required of it. Evidence:
/// the subject's, who tells the events. What contradicts itself in them is a finding too.
std::optional<Finding> CheckOverlap(const Case& c, const std::vector<RankObservation>& ranks, Evidence& evidence);

}  // namespace zerocts
