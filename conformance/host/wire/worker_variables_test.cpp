#include "conformance/host/wire/worker_variables.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

TEST(WorkerVariables, TheConductorIsANumber) {
  setenv(kConductorPidVariable, "4711", 1);
  EXPECT_EQ(ConductorPid(), 4711);
  for (const char* wrong : {"", "x", "0", "-1", "12x", "99999999999"}) {
    setenv(kConductorPidVariable, wrong, 1);
    EXPECT_THROW(ConductorPid(), HarnessError) << wrong;
  }
  unsetenv(kConductorPidVariable);
  EXPECT_THROW(ConductorPid(), HarnessError);
}

}  // namespace
}  // namespace zerocts
