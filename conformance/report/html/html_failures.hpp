// The failures of a run as HTML: what is wrong, where, beside which values, in which case, and how to see it again.
#pragma once
#include <string>
#include <vector>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// An article for each clause that failed, with its first failure open and those of other configurations folded, and
/// one for each group of ranks; the worst first.
std::vector<std::string> HtmlFailures(const RunView& view);

/// The anchor of a clause's failures on the page.
std::string HtmlAnchorOf(const std::string& clause);

}  // namespace zerocts
