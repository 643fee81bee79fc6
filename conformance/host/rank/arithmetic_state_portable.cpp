// For machines whose control registers are not known by name: by the standard library, and by trying what is flushed.
#include <cfenv>

#include "conformance/host/rank/arithmetic_state.hpp"
#include "reference/numerics/arithmetic_canary.hpp"

namespace zerocts {

ArithmeticState CurrentArithmetic() {
  return {static_cast<uint32_t>(std::fegetround()), CheckArithmetic().flushes_to_zero};
}

void SetArithmetic(const ArithmeticState& state) {
  std::fesetenv(FE_DFL_ENV);
  std::fesetround(static_cast<int>(state.vector));
}

ArithmeticState DefaultArithmetic() { return {static_cast<uint32_t>(FE_TONEAREST), 0}; }

std::string DescribeChange(const ArithmeticState& before, const ArithmeticState& after) {
  std::string text;
  if (before.vector != after.vector) {
    text = "the rounding direction (" + std::to_string(before.vector) + " -> " + std::to_string(after.vector) + ")";
  }
  if (before.other == after.other) return text;
  return text + (text.empty() ? "" : ", and ") + "flush-to-zero: " + (after.other ? "on" : "off");
}

}  // namespace zerocts
