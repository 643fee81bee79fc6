// What test programs that need a GPU have in common.
#pragma once
#include <gtest/gtest.h>

#include <iostream>
#include <stdexcept>
#include <string>

#include "impl/device/device.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {

/// Runs all tests, unless `missing`, a sentence, is not empty: then prints it and gives 77, which ctest reports as not
/// run.
inline int RunAllTestsUnless(const std::string& missing) {
  constexpr int kNotRun = 77;
  if (missing.empty()) return RUN_ALL_TESTS();
  std::cout << "not run: " << missing << "\n";
  return kNotRun;
}

/// A GPU's memory is not the host's to give.
struct RefusingMemory : MemorySource {
  void* Allocate(int64_t, MemoryKind) override { throw std::logic_error("the account was asked for memory"); }
  void Free(void*) override { throw std::logic_error("the account was given memory"); }
};

/// Why this process has no GPU that can do what is asked; "" when it has one.
inline std::string WhyNoGpu(const DeviceSettings& settings = {}) {
  RefusingMemory account;
  try {
    MakeDevice("cuda", account, settings)->MakeStream(StreamRole::kCompute);
    return "";
  } catch (const Unimplemented& refusal) {
    return refusal.what();
  }
}

}  // namespace zerocts::engine
