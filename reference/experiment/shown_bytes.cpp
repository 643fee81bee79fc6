#include "reference/experiment/shown_bytes.hpp"

namespace zerocts {

namespace {

constexpr size_t kShownBytes = 40;

}  // namespace

std::string ShownBytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes.substr(0, kShownBytes)) text += c >= 32 && c < 127 ? c : '?';
  return text + (bytes.size() > kShownBytes ? ".." : "");
}

}  // namespace zerocts
