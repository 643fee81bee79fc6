#include "conformance/check/finding/divergence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

std::string Value(float x) { return fmt::format("{:<15.9g} 0x{:08x}", x, Bits(x)); }

/// A line; "" for what is true or not.
std::string Distance(const Divergence& d) {
  if (d.what == "skipped") return "";
  return d.ulp == UINT64_MAX ? "\n  no distance: one of the two is NaN" : fmt::format("\n  {} ulp apart", d.ulp);
}

/// A line for each; the element itself is marked.
std::string Neighbourhood(const Divergence& d) {
  if (d.around.size() < 2) return "";
  std::string text = "\n  around it, expected and got:";
  for (const ElementValues& values : d.around) {
    text += fmt::format("\n  {} {:>8}  {}  {}", values.element == d.element ? '>' : ' ', values.element,
                        Value(values.expected), Value(values.got));
  }
  return text;
}

}  // namespace

std::string ToString(const Divergence& d) {
  const std::string when = d.step < 0 ? "after load" : fmt::format("step {}, {}", d.step, ToString(d.phase));
  std::string text = fmt::format("{}, rank {}: {}", when, d.rank, d.tensor);
  if (d.interval.end > d.interval.begin) {
    text += fmt::format(", element {} (piece [{}, {}), {} of {} elements differ)", d.element, d.interval.begin,
                        d.interval.end, d.differing, d.compared);
  }
  text += fmt::format("\n  expected {}\n  got      {}{}", Value(d.expected), Value(d.got), Distance(d));
  if (!d.causes.empty()) text += fmt::format("\n  as if {}", fmt::join(d.causes, ", or as if "));
  if (!d.note.empty()) text += "\n  note: " + d.note;
  if (!d.wrong_and_right.empty()) text += "\n  before the case was made small: " + d.wrong_and_right;
  return text + Neighbourhood(d);
}

}  // namespace zerocts
