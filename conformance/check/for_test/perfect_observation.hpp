// For tests: what W ranks without a fault would show.
#pragma once
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/expected/expected.hpp"

namespace zerocts {

using Ownership = std::vector<std::vector<std::vector<Interval>>>;  // [rank][parameter]

/// Contiguous shards of the concatenation of all parameters with optimizer state, one per rank of a sharding group,
/// sizes differ by at most one; in stage 0 every rank owns everything.
Ownership ContiguousOwnership(const Case& c);

/// Observations of every rank under this ownership. All states are shown; memory is what such a subject would report
/// and allocate.
std::vector<RankObservation> PerfectObservation(const Case& c, const Expected& expected, const Ownership& owned);

/// The same for the contiguous ownership and the order that the case names.
std::vector<RankObservation> PerfectObservation(const Case& c);

}  // namespace zerocts
