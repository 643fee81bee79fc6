// The largest case: far above what is drawn and above a GPT-2 of 124 million parameters, and judged in minutes.
#pragma once
#include <string>

#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// "" or which size of the case is too large, what is the most, what was got.
std::string SizeProblem(const Case& c);

}  // namespace zerocts
