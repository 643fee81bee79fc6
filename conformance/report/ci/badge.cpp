// The endpoint format of shields.io, which makes a badge of it.
#include "conformance/report/ci/badge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/cases/case/counted.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

bool IsWholeAndSeenAndWithoutException(const RunView& view) {
  return view.partial.empty() && view.self_reported() == 0 &&
         std::ranges::count(view.expectations, "held", &ExpectationView::state) == 0;
}

/// By the exit code of the verdict: what is green is conformant, and without exceptions and hearsay brightly so.
const char* ColorOf(const RunView& view) {
  switch (view.exit_code()) {
    case 0: return IsWholeAndSeenAndWithoutException(view) ? "brightgreen" : "green";
    case 1:
    case 4: return "red";
    case 3:
    case 77: return "lightgrey";
    default: return "orange";  // stale, too few
  }
}

}  // namespace

std::string BadgeOf(const RunView& view) {
  const bool proven = view.Objection().empty();
  const std::string message = !proven ? "no verdict"
                              : view.suite_clauses > 0
                                  ? view.verdict.text
                                  : fmt::format("{}, {}", view.verdict.text, Counted(view.judged(), "clause"));
  return nlohmann::json{{"schemaVersion", 1},
                        {"label", Printable(fmt::format("ZeRO-CTS {}", view.subject_name()))},
                        {"message", Printable(message)},
                        {"color", ColorOf(view)},
                        {"isError", view.exit_code() != 0}}
             .dump(2) +
         '\n';
}

}  // namespace zerocts
