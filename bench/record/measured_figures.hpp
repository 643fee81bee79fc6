// Figures that a program measured which cannot write records: a line of JSON each,
//   {"subject": "torch", "what": "step_time", "case": {"ranks": 2}, "unit": "s", "direction": "smaller",
//    "samples": [0.25, 0.26]}
// or, where there is no figure, {"subject": .., "what": .., "case": .., "error": "why"}.
#pragma once
#include <istream>
#include <vector>

#include "bench/record/record.hpp"

namespace zerocts {

/// Records of this build and this machine. The value is the median of the samples. Throws std::invalid_argument with
/// the line and the field, what was expected and what was got; also where there is no line.
std::vector<BenchRecord> RecordsOfMeasured(std::istream& lines);

}  // namespace zerocts
