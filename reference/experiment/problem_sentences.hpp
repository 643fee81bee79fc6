// Sentences about wrong fields: which one, what was expected, what was got; "" when nothing is wrong.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace zerocts {

inline std::string Text(float x) {
  char digits[32];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), x).ptr};
}
inline std::string Text(int64_t x) { return std::to_string(x); }
inline std::string Text(int x) { return std::to_string(x); }
inline std::string Text(const std::string& x) { return "\"" + x + "\""; }

template <typename Got>
std::string Sentence(const std::string& field, const std::string& expected, const Got& got) {
  return field + ": expected " + expected + ", got " + Text(got);
}

inline std::string AtLeastOne(const std::string& field, int64_t got) {
  return got >= 1 ? "" : Sentence(field, "1 or more", got);
}

inline std::string FiniteNotNegative(const std::string& field, float got) {
  return std::isfinite(got) && got >= 0 ? "" : Sentence(field, "a finite number of 0 or more", got);
}

inline std::string BelowOne(const std::string& field, float got) {
  return got >= 0 && got < 1 ? "" : Sentence(field, "0 or more and less than 1", got);
}

/// The first that is not empty.
template <typename... Sentences>
std::string First(Sentences... sentences) {
  std::string first;
  ((first.empty() ? void(first = std::move(sentences)) : void()), ...);
  return first;
}

}  // namespace zerocts
