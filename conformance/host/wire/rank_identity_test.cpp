#include "conformance/host/wire/rank_identity.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

class Identity : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"ZEROCTS_RANK", "ZEROCTS_WORLD_SIZE", "RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS", "PMI_RANK", "PMI_SIZE"}) {
      unsetenv(name);
    }
  }
  void TearDown() override { SetUp(); }
};

TEST_F(Identity, EveryLauncherIsUnderstoodAndOursComesFirst) {
  EXPECT_THROW(IdentityFromEnvironment(), HarnessError);
  const char* names[][2] = {{"PMI_RANK", "PMI_SIZE"},
                            {"SLURM_PROCID", "SLURM_NTASKS"},
                            {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                            {"RANK", "WORLD_SIZE"},
                            {"ZEROCTS_RANK", "ZEROCTS_WORLD_SIZE"}};
  for (int i = 0; i < 5; ++i) {
    setenv(names[i][0], std::to_string(i).c_str(), 1);
    setenv(names[i][1], "7", 1);
    EXPECT_EQ(IdentityFromEnvironment().rank, i);
    EXPECT_EQ(IdentityFromEnvironment().world_size, 7);
  }
}

TEST_F(Identity, NonsenseIsNamed) {
  setenv("ZEROCTS_WORLD_SIZE", "3", 1);
  for (const char* rank : {"x", "-1", "", "1x", "3"}) {
    setenv("ZEROCTS_RANK", rank, 1);
    EXPECT_THROW(IdentityFromEnvironment(), HarnessError) << rank;
  }
}

}  // namespace
}  // namespace zerocts
