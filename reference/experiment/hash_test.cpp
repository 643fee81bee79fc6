#include "reference/experiment/hash.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

TEST(Hash, IsXxh3Of128Bits) {
  EXPECT_EQ(HashOfBytes(nullptr, 0), "99aa06d3014798d86001c324468d497f");
}  // XXH128 of nothing

TEST(Hash, SeesEveryNanAsOne) {
  const std::vector<float> canonical = {1.0f, FromBits(0x7fc00000), 2.0f};
  for (const uint32_t nan : {0xffc00000u, 0x7fffffffu, 0x7f800001u}) {
    EXPECT_EQ(HashOf(std::vector<float>{1.0f, FromBits(nan), 2.0f}), HashOf(canonical));
  }
  EXPECT_EQ(HashOf(std::vector<float>{1.0f}), HashOfBytes("\x00\x00\x80\x3f", 4));
}

TEST(Hash, SeesEveryNanOfBf16AsOne) {
  const std::vector<Bf16> canonical = {{0x3f80}, {0x7fc0}};
  EXPECT_EQ(HashOf(std::vector<Bf16>{{0x3f80}, {0xff81}}), HashOf(canonical));
  EXPECT_NE(HashOf(std::vector<Bf16>{{0x3f80}, {0x7f80}}), HashOf(canonical));
}

TEST(Hash, DistinguishesSignsOfZero) { EXPECT_NE(HashOf(std::vector<float>{0.0f}), HashOf(std::vector<float>{-0.0f})); }

}  // namespace
}  // namespace zerocts
