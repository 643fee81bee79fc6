#pragma once
#include <string>

namespace zerocts::watch {

inline std::string LengthBytes(size_t size) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(size >> (8 * i) & 255);
  return bytes;
}

/// A record as a rank sends it.
inline std::string Frame(const std::string& head, const std::string& bits = "") {
  return LengthBytes(head.size()) + LengthBytes(bits.size()) + head + bits;
}

}  // namespace zerocts::watch
