// What ranks say that they hold, against how much their processes grew.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/figure.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// No process grew by more than its ranks report, as its heap and as the kernel counted, where they did.
std::optional<Finding> CheckGrowth(const Case& c, const std::vector<RankObservation>& ranks);

/// Who would see a rank that keeps the moments of what others own, `moments_of_others` bytes of each of the ranks. Best
/// first: the kernel, the heap of every process as its host counted it, the subject; the subject too where the kernel
/// does not show all.
FigureSource SourceOfGrowth(const std::vector<RankObservation>& ranks, const std::vector<int64_t>& moments_of_others);

}  // namespace zerocts
