#include "impl/subject/open/known.hpp"

#include <gtest/gtest.h>

namespace zerocts::engine {

/// As it looks once a minor version has appended a field.
struct GrownArgs {
  size_t struct_size;
  uint32_t asked, appended;
};
template <>
inline constexpr size_t kFirstSize<GrownArgs> = offsetof(GrownArgs, appended);

namespace {

constexpr size_t kSizeOfOlder = offsetof(GrownArgs, appended);

TEST(Known, WhatAnOlderWriterDidNotKnowIsZero) {
  const GrownArgs older{kSizeOfOlder, 3, 77};
  EXPECT_EQ(Known(&older).asked, 3u);
  EXPECT_EQ(Known(&older).appended, 0u);
}

TEST(Known, ANewerWriterIsReadAsFarAsTheReaderKnows) {
  const GrownArgs newer{sizeof(GrownArgs) + 8, 3, 4};
  EXPECT_EQ(Known(&newer).appended, 4u);
}

TEST(Known, RefusesLessThanTheFirstVersionHad) {
  const GrownArgs cut{8, 3, 4};
  EXPECT_THROW(Known(&cut), std::invalid_argument);
  EXPECT_THROW(Known<GrownArgs>(nullptr), std::invalid_argument);
}

TEST(Known, GivesBackNoMoreThanTheCallerKnows) {
  GrownArgs older{kSizeOfOlder, 3, 77};
  GiveBack(&older, [](GrownArgs& out) { out.asked = out.appended = 5; });
  EXPECT_EQ(older.asked, 5u);
  EXPECT_EQ(older.appended, 77u);
}

}  // namespace
}  // namespace zerocts::engine
