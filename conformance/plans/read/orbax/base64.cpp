#include "conformance/plans/read/orbax/base64.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "reference/experiment/shown_bytes.hpp"

namespace zerocts::read {

std::string FromBase64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto refuse = [&] {
    throw std::invalid_argument(fmt::format("expected base64, got \"{}\"", ShownBytes(text)));
  };
  if (text.size() % 4 != 0) refuse();
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string bytes;
  unsigned bits = 0;
  for (size_t i = 0; i < text.size() - padding; ++i) {
    const size_t digit = kDigits.find(text[i]);
    if (digit == kDigits.npos) refuse();
    bits = (bits << 6 | static_cast<unsigned>(digit)) & 0xffff;
    if (i % 4 != 0) bytes += static_cast<char>(bits >> (6 - 2 * (i % 4)) & 0xff);
  }
  return bytes;
}

}  // namespace zerocts::read
