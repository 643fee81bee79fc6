// Does every element have the owners that its stage gives it?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Ownership alone, without knowing the layout: every element of every parameter is owned exactly once in each sharding
/// group, by the rank at the same position in each (stage >= 1); by every rank (stage 0). Of tensor ranks this is so of
/// the part that each has. Buffers and tied names have no optimizer state, so nobody owns them. Where the case goes
/// through a plan file, each rank owns what the file says.
std::optional<Finding> CheckTiling(const Case& c, const std::vector<RankObservation>& ranks);

}  // namespace zerocts
