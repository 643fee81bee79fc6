#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "conformance/host/launchers/gpus_of_ctest.hpp"

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

using Set = std::map<std::string, std::string>;
using Ids = std::vector<std::string>;

Variables VariablesOf(const Set& set) {
  return [&set](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
}

std::string RefusalOfSet(const Set& set) {
  try {
    GpusOfCtest(VariablesOf(set));
    return "accepted";
  } catch (const UsageError& refusal) {
    return refusal.what();
  }
}

TEST(GpusOfCtest, AreThoseOfAllGroupsInTheirOrder) {
  EXPECT_EQ(GpusOfCtest(VariablesOf({})), std::nullopt);
  EXPECT_EQ(GpusOfCtest(VariablesOf({{"CTEST_RESOURCE_GROUP_COUNT", "0"}})), Ids{});
  const Set one = {{"CTEST_RESOURCE_GROUP_COUNT", "1"},
                   {"CTEST_RESOURCE_GROUP_0", "gpus"},
                   {"CTEST_RESOURCE_GROUP_0_GPUS", "id:3,slots:1"}};
  EXPECT_EQ(GpusOfCtest(VariablesOf(one)), Ids{"3"});
  const Set several = {{"CTEST_RESOURCE_GROUP_COUNT", "2"},
                       {"CTEST_RESOURCE_GROUP_0", "gpus"},
                       {"CTEST_RESOURCE_GROUP_0_GPUS", "id:11,slots:1"},
                       {"CTEST_RESOURCE_GROUP_1", "gpus"},
                       {"CTEST_RESOURCE_GROUP_1_GPUS", "id:0,slots:2;id:gpu_b,slots:1"}};
  EXPECT_EQ(GpusOfCtest(VariablesOf(several)), (Ids{"11", "0", "gpu_b"}));
}

TEST(GpusOfCtest, WhatCtestDoesNotWriteIsRefusedInASentence) {
  EXPECT_EQ(RefusalOfSet({{"CTEST_RESOURCE_GROUP_COUNT", "two"}}),
            "CTEST_RESOURCE_GROUP_COUNT is 'two': expected a number of groups");
  EXPECT_EQ(RefusalOfSet({{"CTEST_RESOURCE_GROUP_COUNT", "-1"}}),
            "CTEST_RESOURCE_GROUP_COUNT is '-1': expected a number of groups");
  EXPECT_EQ(RefusalOfSet({{"CTEST_RESOURCE_GROUP_COUNT", "1"}}),
            "CTEST_RESOURCE_GROUP_0 is not set: expected it from ctest, which set CTEST_RESOURCE_GROUP_COUNT");
  EXPECT_EQ(RefusalOfSet({{"CTEST_RESOURCE_GROUP_COUNT", "1"}, {"CTEST_RESOURCE_GROUP_0", "fpgas"}}),
            "CTEST_RESOURCE_GROUP_0 is 'fpgas': expected gpus, the only resource of these tests");
  for (const char* broken :
       {"", "0", "id:,slots:1", "id:0", "id:0,slots:1;", "id:0,slots:x", "id:0,slots:1,id:1,slots:1"}) {
    EXPECT_EQ(RefusalOfSet({{"CTEST_RESOURCE_GROUP_COUNT", "1"},
                            {"CTEST_RESOURCE_GROUP_0", "gpus"},
                            {"CTEST_RESOURCE_GROUP_0_GPUS", broken}}),
              "CTEST_RESOURCE_GROUP_0_GPUS is '" + std::string(broken) +
                  "': expected id:NAME,slots:N, a semicolon between two");
  }
}

TEST(GpusOfCtest, AreAllThatTheProcessSees) {
  const auto visible = [] {
    const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
    return std::string(value ? value : "unset");
  };
  setenv("CUDA_VISIBLE_DEVICES", "5", 1);
  EXPECT_EQ(SeeOnlyGpusOfCtest(), std::nullopt);
  EXPECT_EQ(visible(), "5");  // ctest has no list
  setenv("CTEST_RESOURCE_GROUP_COUNT", "2", 1);
  for (const char* group : {"0", "1"}) {
    setenv((std::string("CTEST_RESOURCE_GROUP_") + group).c_str(), "gpus", 1);
    setenv((std::string("CTEST_RESOURCE_GROUP_") + group + "_GPUS").c_str(),
           (std::string("id:7") + group + ",slots:1").c_str(), 1);
  }
  EXPECT_EQ(SeeOnlyGpusOfCtest(), 2);
  EXPECT_EQ(visible(), "70,71");
  EXPECT_STREQ(std::getenv("CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
  for (const char* name :
       {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CTEST_RESOURCE_GROUP_COUNT", "CTEST_RESOURCE_GROUP_0",
        "CTEST_RESOURCE_GROUP_1", "CTEST_RESOURCE_GROUP_0_GPUS", "CTEST_RESOURCE_GROUP_1_GPUS"}) {
    unsetenv(name);
  }
}

}  // namespace
}  // namespace zerocts
