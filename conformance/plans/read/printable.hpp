// Names from files as they may reach a terminal, JSON and sentences.
#pragma once
#include <string_view>

namespace zerocts::read {

inline constexpr size_t kLongestName = 4096;

/// UTF-8 without control characters, of at most kLongestName bytes.
bool IsPrintable(std::string_view text);

}  // namespace zerocts::read
