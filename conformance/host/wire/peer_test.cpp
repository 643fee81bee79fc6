#include "conformance/host/wire/peer.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

TEST(Peer, IsNamedByItsRank) {
  EXPECT_EQ(RankPeer(3).Name(), "rank-3");
  EXPECT_EQ(ShimPeer(0).Name(), "shim-0");
  for (const Peer& peer : {RankPeer(0), RankPeer(12), ShimPeer(7)}) EXPECT_EQ(Peer::Named(peer.Name()), peer);
}

TEST(Peer, HasOneSpelling) {
  for (const char* stranger : {"", "rank", "rank-", "rank-x", "rank--1", "rank-+1", "rank-1x", "rank-01", "shim-00",
                               "shim- 0", "Rank-0", "cook-1", "rank-99999999999", "xrank-0", "0"}) {
    EXPECT_EQ(Peer::Named(stranger), std::nullopt) << stranger;
  }
  EXPECT_EQ(Peer::Named(std::string("rank-1\0", 7)), std::nullopt);
}

TEST(Secret, IsLongAndNew) {
  const std::string secret = NewSecret();
  EXPECT_EQ(secret.size(), 32u);
  EXPECT_EQ(secret.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(secret, NewSecret());
}

}  // namespace
}  // namespace zerocts
