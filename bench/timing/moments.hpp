// Moments at which something lasted.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace zerocts {

/// Intervals of ns, begin and end, apart and ascending.
using Moments = std::vector<std::pair<int64_t, int64_t>>;

/// Those at which at least one of the intervals lasted, which may overlap.
Moments Joined(std::vector<std::pair<int64_t, int64_t>> intervals);

int64_t LengthNs(const Moments& moments);

/// How long both lasted at once.
int64_t SharedNs(const Moments& a, const Moments& b);

}  // namespace zerocts
