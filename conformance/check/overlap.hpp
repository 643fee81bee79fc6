// Do collectives run beside computation?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case.hpp"
#include "conformance/cases/figure.hpp"
#include "conformance/cases/observation.hpp"
#include "conformance/check/finding.hpp"

namespace zerocts {

/// Some collective of some rank was under way while that rank computed forward or backward. One rank has nobody to wait
/// for: nothing is demanded of it. Evidence: the subject's, whose clock it is.
std::optional<Finding> CheckOverlap(const Case& c, const std::vector<RankObservation>& ranks, Evidence& evidence);

}  // namespace zerocts
