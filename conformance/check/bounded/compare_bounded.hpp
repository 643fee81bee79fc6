// Is real training within its bound of exact arithmetic?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/compare/compare.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Real training (bounded_training.hpp): every parameter, master weight, gradient, loss, norm and coefficient within
/// its bound of exact arithmetic. First in program order; the finding says the bound and where it comes from.
std::optional<Finding> CompareWithBound(const Case& c, const std::vector<RankObservation>& ranks,
                                        const CompareOptions& options = {});

}  // namespace zerocts
