// Does a rank hold no more than its share, does it say what it holds, and did it know before?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// What a subject declares about the share of one rank.
struct ShareLimits {
  int64_t slack_bytes = 0;
  Granularity granularity = Granularity::kElement;
  bool device_memory = false;
};

/// Optimizer bytes per rank against ceil(total / ranks of a sharding group) * bytes per element + slack, where total
/// counts the elements with optimizer state and whole rows or tensors round up; those of the rank's expert have a share
/// of their own; reported against counted by the host
/// and by the kernel, where tensors live in the memory of a process. Evidence: kernel or host, where they counted and
/// would have seen whole moments.
std::optional<Finding> CheckMemory(const Case& c, const std::vector<RankObservation>& ranks, const ShareLimits& limits,
                                   Evidence& evidence);

/// Each rank holds, kind by kind and at its peak, what it estimated from the settings alone, to the byte; the host
/// counted no higher peak; what is offloaded is on the host, and without offload nothing is.
std::optional<Finding> CheckMemoryEstimate(const Case& c, const std::vector<RankObservation>& ranks,
                                           Evidence& evidence);

}  // namespace zerocts
