// A run for dashboards and bots, as CTRF (ctrf.io).
#pragma once
#include <string>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// CTRF (ctrf.io): the same test cases as JSON, for dashboards and bots that read it.
std::string CtrfOf(const RunView& view);

}  // namespace zerocts
