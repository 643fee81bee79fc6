// What ranks of a test say: each one's exception, "" of one that was well.
#pragma once
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

namespace zerocts::engine {

inline void ExpectAllWell(const std::vector<std::string>& sentences) {
  for (size_t rank = 0; rank < sentences.size(); ++rank) EXPECT_EQ(sentences[rank], "") << "rank " << rank;
}

/// The sentence of a timeout without the seconds that it really waited.
inline std::string WithoutSeconds(const std::string& sentence) {
  return std::regex_replace(sentence, std::regex("waited [0-9.]+ s"), "waited");
}

}  // namespace zerocts::engine
