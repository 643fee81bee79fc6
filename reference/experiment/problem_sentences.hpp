// Sentences about wrong fields: which one, what was expected, what was got; "" when nothing is wrong. Cases are drawn
// by the thousand, so texts are put together only where a field is wrong.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
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

/// "groups[0]" and ".lr", or a whole name. Lives no longer than the texts that it is made of.
class FieldName {
 public:
  FieldName(std::string_view of, std::string_view name) : of_(of), name_(name) {}
  FieldName(const char* name) : name_(name) {}
  FieldName(const std::string& name) : name_(name) {}

  std::string text() const { return std::string(of_).append(name_); }

 private:
  std::string_view of_, name_;
};

inline std::string Unless(bool holds, const std::string& sentence) { return holds ? "" : sentence; }

template <typename Got>
std::string Unless(bool holds, const FieldName& field, const char* expected, const Got& got) {
  return holds ? "" : Sentence(field.text(), expected, got);
}

inline std::string AtLeastOne(const FieldName& field, int64_t got) { return Unless(got >= 1, field, "1 or more", got); }

inline std::string AboveZero(const FieldName& field, float got) {
  return Unless(std::isfinite(got) && got > 0, field, "a finite number above 0", got);
}

inline std::string FiniteNotNegative(const FieldName& field, float got) {
  return Unless(std::isfinite(got) && got >= 0, field, "a finite number of 0 or more", got);
}

inline std::string BelowOne(const FieldName& field, float got) {
  return Unless(got >= 0 && got < 1, field, "0 or more and less than 1", got);
}

/// The first that is not empty.
template <typename... Sentences>
std::string First(Sentences... sentences) {
  std::string first;
  ((first.empty() ? void(first = std::move(sentences)) : void()), ...);
  return first;
}

}  // namespace zerocts
