#include "reference/ops/host_ops.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>

#include "reference/numerics/floats_for_test.hpp"

namespace zerocts {
namespace {

/// Sets a variable for one scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

std::string WhatIsThrown(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(HostOps, PortableIsAlwaysThereAndTheFastestIsChosen) {
  unsetenv("ZEROCTS_KERNELS");
  EXPECT_EQ(HostKernelNames().front(), "portable");
  EXPECT_EQ(ChosenHostKernels(), HostKernelNames().back());
}

TEST(HostOps, VariableChoosesTheKernels) {
  const Variable variable("ZEROCTS_KERNELS", "portable");
  EXPECT_EQ(ChosenHostKernels(), "portable");
}

TEST(HostOps, UnknownKernelsAreRefusedWithTheChoices) {
  const Variable variable("ZEROCTS_KERNELS", "sse9");
  for (const std::string& text :
       {WhatIsThrown([] { ChosenHostKernels(); }), WhatIsThrown([] { HostOpsWith("sse9"); })}) {
    EXPECT_NE(text.find("sse9"), std::string::npos) << text;
    for (const std::string& name : HostKernelNames()) EXPECT_NE(text.find(name), std::string::npos) << text;
  }
  EXPECT_NE(WhatIsThrown([] { ChosenHostKernels(); }).find("ZEROCTS_KERNELS"), std::string::npos);
}

TEST(HostOps, VariableChoosesTheThreads) {
  unsetenv("ZEROCTS_THREADS");
  EXPECT_EQ(ChosenHostThreads(), 1);
  const Variable variable("ZEROCTS_THREADS", "3");
  EXPECT_EQ(ChosenHostThreads(), 3);
}

TEST(HostOps, AWrongNumberOfThreadsIsOneSentence) {
  for (const char* value : {"0", "-1", "257", "two", "2x", " 2", "99999999999"}) {
    const Variable variable("ZEROCTS_THREADS", value);
    EXPECT_EQ(WhatIsThrown([] { ChosenHostThreads(); }),
              "ZEROCTS_THREADS: expected a number of threads from 1 to 256, got '" + std::string(value) + "'");
  }
}

TEST(HostOps, CopiesOverlappingMemoryAndFills) {
  std::vector<float> values = {1, 2, 3, 4};
  HostOps().Copy(values.data() + 1, values.data(), 3 * sizeof(float));
  EXPECT_EQ(values, (std::vector<float>{1, 1, 2, 3}));
  HostOps().Fill(values.data(), -0.0f, 3);
  EXPECT_EQ(CanonicalBitsOf(values), (std::vector<uint32_t>{0x80000000u, 0x80000000u, 0x80000000u, Bits(3.0f)}));
  HostOps().Copy(nullptr, nullptr, 0);
}

TEST(HostOps, AddSquaresAddsToWhatIsThere) {
  const std::vector<float> values = {3.0f, 4.0f};
  SumOfSquares sum;
  HostOps().AddSquares(&sum, values.data(), 1);
  HostOps().AddSquares(&sum, values.data() + 1, 1);
  EXPECT_EQ(sum.Norm(), 5.0f);
}

/// Callers at once, with operations of one thread and of several.
void ExpectCallersShare(Ops& ops) {
  constexpr int kThreads = 4, kRepeats = 400;  // tens of milliseconds, so that threads meet also on one busy core
  const auto product = [&ops](int thread) {
    const int64_t M = 60 + thread, N = 99 + 70 * thread, K = 200 - 30 * thread;  // different scratch sizes
    const std::vector<float> a = OrdinaryFloats(M * K, thread), b = OrdinaryFloats(K * N, thread + 100);
    std::vector<float> c(M * N);
    return [=, &ops]() mutable {
      ops.GemmNN(c.data(), a.data(), b.data(), M, N, K);
      return c;
    };
  };
  std::vector<int> wrong(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&wrong, thread, multiply = product(thread), expected = product(thread)()]() mutable {
        for (int repeat = 0; repeat < kRepeats; ++repeat) wrong[thread] += multiply() != expected;
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(kThreads));
}

TEST(HostOps, CallersShareOneObject) {
  ExpectCallersShare(HostOps());
  ExpectCallersShare(HostOpsWith(ChosenHostKernels(), 3));
}

}  // namespace
}  // namespace zerocts
