#include "reference/plan/value/mesh.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts {
namespace {

using Ranks = std::vector<int>;

TEST(Mesh, OfTwoByTwo) {
  const Mesh mesh = HybridMesh(2, 2);
  EXPECT_EQ(mesh.world_size(), 4);
  EXPECT_EQ(mesh.RanksAlong(1, "shard"), (Ranks{0, 1}));
  EXPECT_EQ(mesh.RanksAlong(2, "shard"), (Ranks{2, 3}));
  EXPECT_EQ(mesh.RanksAlong(1, "replicate"), (Ranks{1, 3}));
  EXPECT_EQ(mesh.RanksAlong(2, "replicate"), (Ranks{0, 2}));
  EXPECT_EQ(mesh.Coordinate(1, "shard"), 1);
  EXPECT_EQ(mesh.Coordinate(1, "replicate"), 0);
  EXPECT_EQ(mesh.Coordinate(2, "shard"), 0);
  EXPECT_EQ(mesh.Coordinate(2, "replicate"), 1);
}

TEST(Mesh, OfTwoReplicasOfThreeShards) {
  const Mesh mesh = HybridMesh(2, 3);
  EXPECT_EQ(mesh.size("replicate"), 2);
  EXPECT_EQ(mesh.size("shard"), 3);
  EXPECT_EQ(mesh.RanksAlong(4, "shard"), (Ranks{3, 4, 5}));
  EXPECT_EQ(mesh.RanksAlong(4, "replicate"), (Ranks{1, 4}));
  EXPECT_EQ(mesh.Coordinate(4, "shard"), 1);
  EXPECT_EQ(mesh.Coordinate(4, "replicate"), 1);
  EXPECT_EQ(ToString(mesh), "replicate 2 x shard 3");
}

TEST(Mesh, OfThreeReplicasOfTwoShards) {
  const Mesh mesh = HybridMesh(3, 2);
  EXPECT_EQ(mesh.RanksAlong(4, "shard"), (Ranks{4, 5}));
  EXPECT_EQ(mesh.RanksAlong(4, "replicate"), (Ranks{0, 2, 4}));
  EXPECT_EQ(mesh.Coordinate(4, "shard"), 0);
  EXPECT_EQ(mesh.Coordinate(4, "replicate"), 2);
  EXPECT_NE(mesh, HybridMesh(2, 3));
}

TEST(Mesh, OfThreeAxesRunsFastestAlongTheLast) {
  const Mesh mesh = HybridMesh(2, 3, 4);
  ASSERT_EQ(mesh.world_size(), 24);
  int rank = 0;
  for (int replica = 0; replica < 2; ++replica) {
    for (int shard = 0; shard < 3; ++shard) {
      for (int tensor = 0; tensor < 4; ++tensor, ++rank) {
        EXPECT_EQ(mesh.Coordinate(rank, "replicate"), replica);
        EXPECT_EQ(mesh.Coordinate(rank, "shard"), shard);
        EXPECT_EQ(mesh.Coordinate(rank, "tensor"), tensor);
      }
    }
  }
  EXPECT_EQ(mesh.RanksAlong(17, "shard"), (Ranks{13, 17, 21}));
  EXPECT_EQ(ToString(mesh), "replicate 2 x shard 3 x tensor 4");
}

TEST(Mesh, HasOneRankAlongAnAxisThatItDoesNotHave) {
  const Mesh mesh = HybridMesh(2, 3);
  EXPECT_EQ(mesh.size("tensor"), 1);
  EXPECT_EQ(mesh.Coordinate(5, "tensor"), 0);
  EXPECT_EQ(mesh.RanksAlong(5, "tensor"), Ranks{5});
}

TEST(Mesh, RefusesWhatMakesNoSense) {
  EXPECT_THROW(HybridMesh(0, 3), std::invalid_argument);
  EXPECT_THROW(HybridMesh(2, 3, 0), std::invalid_argument);
  EXPECT_THROW(HybridMesh(3, -1), std::invalid_argument);
  EXPECT_THROW(HybridMesh(1 << 16, 1 << 16), std::invalid_argument);
  EXPECT_THROW(HybridMesh(2, 3).Coordinate(6, "shard"), std::invalid_argument);
  EXPECT_THROW(HybridMesh(2, 3).RanksAlong(-1, "shard"), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
