// A run in two words, as a badge.
#pragma once
#include <string>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// What shields.io makes a badge of: subject and verdict.
std::string BadgeOf(const RunView& view);

}  // namespace zerocts
