// What every element moved by, decoded: under plain SGD an exact gradient shows in the parameter itself.
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Every parameter on every rank after every step: each element must have moved by lr times its own mean gradient of
/// that step. What it did instead is said in words: stood still, k times its code, the code of another element or of
/// the step before, a micro-batch lost or counted twice. Expects SGD without momentum, weight decay and clipping, and
/// an exact source.
std::optional<Finding> CheckMoves(const Case& c, const std::vector<RankObservation>& ranks);

}  // namespace zerocts
