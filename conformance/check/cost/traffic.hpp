// What the ranks moved in each step against what they have to move: bytes and calls of the transport.
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/cost/traffic_bounds.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Checks every step, as the ranks tell: what each replica received and what all of them sent is no more than
/// MostTrafficOf; all-reduces count too, but for norms and flags, and in stage 1 half, for there one may stand where
/// the formula has a reduce-scatter. All ranks together received no less than LeastTrafficOf, and just what they sent.
/// Where somebody looked on, what was seen to pass is no less than LeastTrafficOf either and no more than twice the
/// most, for a transport may make an all-reduce of a reduce-scatter. Evidence: kernel, where it saw what has to travel
/// in a case that is larger than every allowance.
std::optional<Finding> CheckTraffic(const Case& c, const std::vector<RankObservation>& ranks,
                                    const TrafficLimits& limits, Evidence& evidence);

}  // namespace zerocts
