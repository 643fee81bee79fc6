// What failures have in common that are no wrong values: one exception, one place of all hangs, one launcher.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// What the subject raised or refused, in its own words: "IndexError: no bucket 3 (my_file.py:31, in step)" of "rank 1
/// refused step (step 0): INTERNAL: IndexError: ..", or of the traceback of a rank that died. "" where it did not.
std::string RaisedIn(const nlohmann::json& failure);

/// WithoutNumbers of what nearly all failing clauses raised, at least three; "" where they did not.
std::string SharedRaise(const RunView& view);

/// Puts first what most failures have in common. Where they raised the same, hung at one place, or all ended in one
/// way, no known fault is alike.
void AddSharedEnds(const RunView& view, Diagnosis& diagnosis);

}  // namespace zerocts
