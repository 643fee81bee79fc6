// What a call says when it refuses.
#pragma once
#include <gtest/gtest.h>

#include <string>

namespace zerocts::library {

/// "" when nothing was thrown.
template <class Call>
std::string SentenceOf(const Call& call) {
  try {
    call();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

inline void ExpectHas(const std::string& sentence, const std::string& part) {
  EXPECT_NE(sentence.find(part), std::string::npos) << "\"" << sentence << "\": expected \"" << part << '"';
}

}  // namespace zerocts::library
