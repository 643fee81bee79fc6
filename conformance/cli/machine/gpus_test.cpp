#include "conformance/cli/machine/gpus.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

TEST(Gpus, AreReadFromTheListing) {
  const auto gpus =
      GpusFromListing("0, NVIDIA H200, GPU-5a, 143771, 570.86.15\n1, Tesla V100-SXM2, 32GB, GPU-77, 32768, 535.1\n");
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(gpus[0].memory_mib, 143771);
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[1].name, "Tesla V100-SXM2, 32GB");
  EXPECT_EQ(gpus[1].uuid, "GPU-77");
  EXPECT_EQ(gpus[1].driver, "535.1");
  EXPECT_TRUE(GpusFromListing("").empty());
  EXPECT_THROW(GpusFromListing("No devices were found\n"), HarnessError);
}

TEST(Gpus, BecomeSlotsOfCtest) {
  const auto spec = nlohmann::json::parse(CtestResourceSpec({{0, "a", "u", "d", 1}, {3, "b", "v", "d", 1}}));
  EXPECT_EQ(spec["version"]["major"], 1);
  ASSERT_EQ(spec["local"].size(), 1u);
  ASSERT_EQ(spec["local"][0]["gpus"].size(), 2u);
  EXPECT_EQ(spec["local"][0]["gpus"][1]["id"], "3");
  EXPECT_EQ(spec["local"][0]["gpus"][1]["slots"], 1);
  EXPECT_TRUE(nlohmann::json::parse(CtestResourceSpec({}))["local"][0]["gpus"].empty());
}

}  // namespace
}  // namespace zerocts
