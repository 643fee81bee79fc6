// A run as a page.
#pragma once
#include <string>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

struct RunDiff;
/// One page that needs nothing but itself; `since`: what changed since an earlier run, where there is one.
std::string HtmlOf(const RunView& view, const RunDiff* since = nullptr);

}  // namespace zerocts
