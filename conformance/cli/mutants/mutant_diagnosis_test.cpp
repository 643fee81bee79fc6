#include "conformance/cli/mutants/mutant_diagnosis.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

KnownFault Fault(const std::string& id, const Symptoms& symptoms) { return {id, "title of " + id, {}, symptoms}; }

const Symptoms kOld = {{"C-ZERO-001", "fails", "fail"}}, kNew = {{"C-ZERO-002", "fails", "fail"}};

TEST(RenewedFaults, AreThoseThatExistAsTheyLookNow) {
  const std::vector<InstalledMutant> existing = {{.id = "M1"}, {.id = "M2"}, {.id = "M4"}};
  const std::vector<KnownFault> renewed = Renewed({Fault("M1", kOld), Fault("M2", kOld), Fault("M3", kOld)},
                                                  {Fault("M2", kNew), Fault("M4", kNew)}, existing);
  ASSERT_EQ(renewed.size(), 3u);
  EXPECT_EQ(renewed[0].symptoms, kOld);
  EXPECT_EQ(renewed[1].symptoms, kNew);
  EXPECT_EQ(renewed[2].id, "M4");
}

TEST(RenewedFaults, KeepHowOneLookedThatNowShowsNothing) {
  const std::vector<KnownFault> renewed = Renewed({Fault("M1", kOld)}, {Fault("M1", {})}, {{.id = "M1"}});
  ASSERT_EQ(renewed.size(), 1u);
  EXPECT_EQ(renewed[0].symptoms, kOld);
}

}  // namespace
}  // namespace zerocts
