// What a rank cost, in an observation's header.
#pragma once
#include "conformance/cases/case/observation.hpp"
#include "reference/experiment/json_fields.hpp"

namespace zerocts {

/// Memory, traffic, timeline, events: most of it is written where there is some.
void DescribeCosts(JsonForm& form, RankObservation& observation);

}  // namespace zerocts
