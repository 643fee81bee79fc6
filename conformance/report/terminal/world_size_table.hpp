// Tables with a column per world size, for terminals.
#pragma once
#include <string>

#include "conformance/report/view/run_view.hpp"
#include "conformance/report/words/mark.hpp"

namespace zerocts {

/// A row per clause.
std::string ClauseTable(const RunView& view, const Painter& paint);

/// A row per family, and one for all.
std::string FamilyTable(const RunView& view, const Painter& paint);

}  // namespace zerocts
