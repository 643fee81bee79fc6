// Records as bytes: the length of the head and of the bits, 32 bits each, little-endian; then both.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/watch/records.hpp"

namespace zerocts::watch {

inline constexpr uint32_t kMostHeadBytes = 16u << 20, kMostTensorBytes = 64u << 20;

/// Bytes that come in pieces.
class RecordStream {
 public:
  void Append(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole record as it came, and what it says. Throws BadRecord where a length is beyond the limits, or as
  /// RecordFrom.
  struct Next {
    std::string bytes;
    Record record;
  };
  std::optional<Next> Pop();
  bool IsEmpty() const { return begin_ == bytes_.size(); }

 private:
  std::string bytes_;
  size_t begin_ = 0;
};

}  // namespace zerocts::watch
