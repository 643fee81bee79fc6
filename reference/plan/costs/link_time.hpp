// How long a rank's bytes take on a link, inside a host and between hosts.
#pragma once
#include "reference/plan/costs/costs.hpp"

namespace zerocts::plan {

/// Fills in Traffic::seconds. Wires inside and between hosts work at once, so the slower one counts. Throws
/// std::invalid_argument for a link without bandwidth.
void AddTimes(const Plan& plan, const CostNumbers& numbers, Costs& costs);

}  // namespace zerocts::plan
