#include "reference/experiment/byte_pairs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace zerocts {
namespace {

std::vector<uint8_t> Bytes(const std::string& text) { return {text.begin(), text.end()}; }

TEST(BytePairs, MergeTheMostFrequentPairFirstAndTheSmallestAmongEquals) {
  // Words: "ab", " ab", " ab", " cb". a+b occurs 3 times -> 256; then " "+256 twice -> 257; no other pair occurs twice.
  const std::vector<uint8_t> text = Bytes("ab ab ab cb");
  const BytePairs pairs = BytePairs::Learn(text, 1000);
  EXPECT_EQ(pairs.size(), 258);
  EXPECT_EQ(pairs.Encode(text), (std::vector<int32_t>{256, 257, 257, ' ', 'c', 'b'}));
  EXPECT_EQ(BytePairs::Learn(Bytes("yz yz ab ab"), 257).Encode(Bytes("abyz")),
            (std::vector<int32_t>{'a', 'b', 'y', 'z'}))
      << "\" a\", \"ab\" and \"yz\" occur twice each or less; the smallest pair is the space with what follows";
}

TEST(BytePairs, MergeRunsFromTheFront) {
  EXPECT_EQ(BytePairs::Learn(Bytes("aaaaa"), 257).Encode(Bytes("aaaaa")), (std::vector<int32_t>{256, 256, 'a'}));
}

TEST(BytePairs, StopAtTheVocabulary) {
  const std::vector<uint8_t> text = Bytes("the theory of the thing and the other thing, then the end");
  for (const int64_t vocab : {256, 257, 260}) EXPECT_EQ(BytePairs::Learn(text, vocab).size(), vocab);
}

RC_GTEST_PROP(BytePairs, DecodeWhatTheyEncode, (const std::string& learned, const std::string& text)) {
  const BytePairs pairs = BytePairs::Learn(Bytes(learned + learned), 300);
  RC_ASSERT(pairs.Decode(pairs.Encode(Bytes(text))) == Bytes(text));
  RC_ASSERT(pairs.Decode(pairs.Encode(Bytes(learned))) == Bytes(learned));
}

TEST(BytePairs, RefuseUnknownTokens) {
  EXPECT_THROW(BytePairs().Decode(std::vector<int32_t>{256}), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
