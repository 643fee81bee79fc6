// How the arithmetic of a thread is set: rounding, what becomes of subnormals, which exceptions trap. A subject that
// changes it computes other bits than the same subject elsewhere, and so does its caller.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts {

/// The control bits alone; sticky exception flags, which every computation may set, are no part of it.
struct ArithmeticState {
  uint32_t vector = 0;  // x86-64: MXCSR; elsewhere the rounding direction
  uint32_t other = 0;   // x86-64: the control word of the x87; elsewhere whether subnormals are flushed
  friend bool operator==(const ArithmeticState&, const ArithmeticState&) = default;
};

/// This thread's.
ArithmeticState CurrentArithmetic();
/// Exception flags stay as they are, or are cleared.
void SetArithmetic(const ArithmeticState& state);
/// What every thread begins with: to nearest, subnormals kept, nothing traps.
ArithmeticState DefaultArithmetic();

/// "MXCSR: flush-to-zero on, rounding upward (0x1f80 -> 0xdf80)"; "" where nothing differs.
std::string DescribeChange(const ArithmeticState& before, const ArithmeticState& after);

/// Code of others runs in here; what it does to the arithmetic of the thread is undone and told.
class ArithmeticGuard {
 public:
  ArithmeticGuard() = default;
  ~ArithmeticGuard() { Restore(); }
  ArithmeticGuard(const ArithmeticGuard&) = delete;
  ArithmeticGuard& operator=(const ArithmeticGuard&) = delete;

  /// As DescribeChange says it.
  std::string Restore() {
    const ArithmeticState now = CurrentArithmetic();
    if (now == before_) return "";
    SetArithmetic(before_);
    return DescribeChange(before_, now);
  }

 private:
  const ArithmeticState before_ = CurrentArithmetic();
};

}  // namespace zerocts
