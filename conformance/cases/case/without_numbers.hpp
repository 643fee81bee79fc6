// Words that are the same for other cases, ranks and sizes.
#pragma once
#include <cctype>
#include <string>

namespace zerocts {

/// "rank 12 of 3" as "rank # of #".
inline std::string WithoutNumbers(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!is_digit) words += c;
    if (is_digit && !words.ends_with('#')) words += '#';
  }
  return words;
}

}  // namespace zerocts
