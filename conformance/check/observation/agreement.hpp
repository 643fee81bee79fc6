// Do all ranks see the same after a step?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// After each step: the same parameter bits, loss scale, skip, norm and coefficient on every rank, and equal to the
/// owner's master cast to the parameter's dtype.
std::optional<Finding> CheckAgreement(const Case& c, const std::vector<RankObservation>& ranks);

}  // namespace zerocts
