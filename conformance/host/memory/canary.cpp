#include "conformance/host/memory/canary.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace zerocts {
namespace {

using Pattern = std::array<char, kLongestCanaryBytes>;

/// No number that is computed looks like it, and no byte of it is one that fills memory (0, 0xff).
constexpr Pattern MakePattern() {
  Pattern pattern{};
  uint32_t state = 0x2545f491;
  for (char& byte : pattern) {
    state = state * 1664525u + 1013904223u;
    const auto random = static_cast<unsigned char>(state >> 24);
    byte = static_cast<char>(random == 0 || random == 0xff ? 0xa5 : random);
  }
  return pattern;
}
constexpr Pattern kPattern = MakePattern();

void Fill(char* begin, char* end) { std::memcpy(begin, kPattern.data(), static_cast<size_t>(end - begin)); }

bool IsIntact(const char* begin, const char* end) {
  return std::memcmp(begin, kPattern.data(), static_cast<size_t>(end - begin)) == 0;
}

/// Bytes from the room to the farthest one that was changed.
size_t ChangedPastTheEnd(const char* begin, const char* end) {
  size_t bytes = static_cast<size_t>(end - begin);
  while (bytes > 0 && begin[bytes - 1] == kPattern[bytes - 1]) --bytes;
  return bytes;
}
size_t ChangedBeforeTheBeginning(const char* begin, const char* end) {
  const size_t bytes = static_cast<size_t>(end - begin);
  size_t intact = 0;
  while (intact < bytes && begin[intact] == kPattern[intact]) ++intact;
  return bytes - intact;
}

std::string Sentence(size_t changed, size_t canary_bytes, const char* where) {
  return fmt::format("wrote {}{} byte{} {} of", changed == canary_bytes ? "at least " : "", changed,
                     changed == 1 ? "" : "s", where);
}

}  // namespace

void GuardedRoom::Arm() const {
  Fill(outer_begin, begin);
  Fill(end, outer_end);
}

std::string GuardedRoom::Overstep() const {
  if (!IsIntact(end, outer_end)) {
    return Sentence(ChangedPastTheEnd(end, outer_end), static_cast<size_t>(outer_end - end), "past the end");
  }
  if (!IsIntact(outer_begin, begin)) {
    return Sentence(ChangedBeforeTheBeginning(outer_begin, begin), static_cast<size_t>(begin - outer_begin),
                    "before the beginning");
  }
  return "";
}

}  // namespace zerocts
