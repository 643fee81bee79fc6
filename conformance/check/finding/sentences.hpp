// Pieces of the sentences that findings are made of.
#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>

#include "conformance/cases/case/case.hpp"
#include "conformance/check/finding/finding.hpp"

namespace zerocts {

/// A finding that has no element.
inline std::optional<Finding> Found(std::string sentence) { return Finding{std::move(sentence), std::nullopt}; }

inline std::string InStep(int64_t step) { return step < 0 ? "after load" : fmt::format("in step {}", step); }

/// "[3, 7)".
inline std::string Text(const Interval& interval) { return fmt::format("[{}, {})", interval.begin, interval.end); }

/// "[0, 1) [3, 7)", "nothing".
inline std::string Text(const std::vector<Interval>& intervals) {
  std::string text;
  for (const Interval& interval : intervals) text += fmt::format("{}{}", text.empty() ? "" : " ", Text(interval));
  return text.empty() ? "nothing" : text;
}

}  // namespace zerocts
