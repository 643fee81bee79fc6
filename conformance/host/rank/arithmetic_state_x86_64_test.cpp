#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <cfenv>

#include "conformance/host/rank/arithmetic_state.hpp"

namespace zerocts {
namespace {

constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040, kInexactFlag = 0x20;

TEST(ArithmeticState, OfAFreshThreadIsTheDefault) { EXPECT_EQ(CurrentArithmetic(), DefaultArithmetic()); }

TEST(ArithmeticGuard, RestoresControlBitsKeepsFlagsAndTellsOnce) {
  const unsigned before = _mm_getcsr();
  ArithmeticGuard guard;
  _mm_setcsr(before | kFlushToZero | kDenormalsAreZero | kInexactFlag);
  EXPECT_EQ(guard.Restore(), "MXCSR: flush-to-zero on, denormals-are-zero on (0x1f80 -> 0x9fc0)");
  EXPECT_EQ(guard.Restore(), "");
  EXPECT_EQ(_mm_getcsr(), before | kInexactFlag);
}

TEST(ArithmeticGuard, SeesARoundingDirectionInBothRegisters) {
  ArithmeticGuard guard;
  std::fesetround(FE_UPWARD);
  EXPECT_EQ(guard.Restore(),
            "MXCSR: rounding upward (0x1f80 -> 0x5f80); x87 control word: rounding upward (0x037f -> 0x0b7f)");
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(ArithmeticGuard, TakesAnExceptionFlagForNoChange) {
  ArithmeticGuard guard;
  std::feraiseexcept(FE_OVERFLOW | FE_INEXACT);
  EXPECT_EQ(guard.Restore(), "");
}

TEST(ArithmeticGuard, SeesATrap) {
  ArithmeticGuard guard;
  _mm_setcsr(_mm_getcsr() & ~0x0200u);
  EXPECT_EQ(guard.Restore(), "MXCSR: other exceptions trap (0x1f80 -> 0x1d80)");
}

}  // namespace
}  // namespace zerocts
