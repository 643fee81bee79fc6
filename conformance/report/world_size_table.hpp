// Tables with a column per world size, for terminals.
#pragma once
#include <string>

#include "conformance/report/mark.hpp"
#include "conformance/report/run_view.hpp"

namespace zerocts {

/// A row per clause.
std::string ClauseTable(const RunView& view, const Painter& paint);

/// A row per family, and one for all.
std::string FamilyTable(const RunView& view, const Painter& paint);

}  // namespace zerocts
