#include "conformance/plans/read/printable.hpp"

#include <cstdint>

namespace zerocts::read {
namespace {

/// How many bytes follow a first byte; -1: it is none.
int Following(uint8_t byte) {
  if (byte < 0x80) return 0;
  if (byte >= 0xc2 && byte < 0xe0) return 1;
  if (byte >= 0xe0 && byte < 0xf0) return 2;
  return byte >= 0xf0 && byte < 0xf5 ? 3 : -1;
}

/// Longer than it need be, a surrogate, beyond 0x10ffff, or of the control characters behind 0x7f.
bool IsNoCharacter(uint8_t first, uint8_t second) {
  return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
         (first == 0xf4 && second > 0x8f) || (first == 0xc2 && second < 0xa0);
}

}  // namespace

bool IsPrintable(std::string_view text) {
  if (text.size() > kLongestName) return false;
  for (size_t at = 0; at < text.size();) {
    const auto first = static_cast<uint8_t>(text[at]);
    const int following = Following(first);
    if (first < 0x20 || first == 0x7f || following < 0 || at + following >= text.size()) return false;
    if (following > 0 && IsNoCharacter(first, static_cast<uint8_t>(text[at + 1]))) return false;
    for (int i = 1; i <= following; ++i) {
      if ((static_cast<uint8_t>(text[at + i]) & 0xc0) != 0x80) return false;
    }
    at += following + 1;
  }
  return true;
}

}  // namespace zerocts::read
