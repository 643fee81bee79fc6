// Plants the two faults that a real process meets: MXCSR changed by a foreign library, and a file compiled with
// contraction.
#include <gtest/gtest.h>
#include <immintrin.h>

#include "reference/numerics/arithmetic_canary.hpp"

namespace zerocts {

bool ContractingFileContracts();  // contracting_file_for_test.cpp

namespace {

class ControlRegister : public testing::TestWithParam<unsigned> {};

TEST_P(ControlRegister, FlushToZeroIsSeenOnItsThreadOnly) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | GetParam());
  const ArithmeticReport here = CheckArithmetic();
  _mm_setcsr(before);
  EXPECT_TRUE(here.flushes_to_zero);
  EXPECT_FALSE(here.ok());
  EXPECT_TRUE(CheckArithmetic().ok());
}

INSTANTIATE_TEST_SUITE_P(ArithmeticCanary, ControlRegister,
                         testing::Values(0x8000u, 0x0040u, 0x8040u));  // FTZ, DAZ, both

TEST(ArithmeticCanary, SeesContraction) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this CPU has no FMA instructions";
  EXPECT_TRUE(ContractingFileContracts());
}

}  // namespace
}  // namespace zerocts
