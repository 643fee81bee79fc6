#include "conformance/host/wire/worker_variables.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

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

const std::map<std::string, std::string> kAll = {{kConductorVariable, "ipc://here"},
                                                 {kShimSecretVariable, "of shims"},
                                                 {"ZEROCTS_RANK", "3"},
                                                 {"ZEROCTS_SEED", "7"},
                                                 {"ZEROCTS_THREADS", "2"}};

/// The names of those that are left.
std::vector<std::string> LeftBy(void (*take)()) {
  for (const auto& [name, value] : kAll) setenv(name.c_str(), value.c_str(), 1);
  take();
  std::vector<std::string> left;
  for (const auto& [name, value] : kAll) {
    if (std::getenv(name.c_str())) left.push_back(name);
    unsetenv(name.c_str());
  }
  return left;
}

TEST(WorkerVariables, ARankHasThoseThatItNeedsAndItsSubjectThoseOfEnginesAlone) {
  EXPECT_EQ(LeftBy(LeaveVariablesOfRanks),
            (std::vector<std::string>{kConductorVariable, "ZEROCTS_RANK", "ZEROCTS_THREADS"}));
  EXPECT_EQ(LeftBy(TakeVariables), std::vector<std::string>{"ZEROCTS_THREADS"});
  EXPECT_EQ(RequiredVariable(kConductorVariable), "ipc://here");
}

}  // namespace
}  // namespace zerocts
