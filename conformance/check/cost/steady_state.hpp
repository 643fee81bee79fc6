// Does what a rank has stay the same while it makes the same step again and again?
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// Bytes, blocks, objects, files and threads after each step: a quantity grows if its minimum over each tenth of the
/// steady steps is above that of the tenth before. In a short run objects and bytes of the process are left out: caches
/// fill. Bytes of the process may grow by 16 KiB per step, as logs do that are cut at thousands of entries. Evidence:
/// the kernel or the host, who count. What they did not count on any rank is not measured.
std::optional<Finding> CheckCountsAreSteady(const Case& c, const std::vector<RankObservation>& ranks,
                                            Evidence& evidence);

/// Whether ranks show what their calls leave at all.
bool ShowsResources(const std::vector<RankObservation>& ranks);

}  // namespace zerocts
