#include "conformance/watch/record_stream.hpp"

#include <fmt/format.h>

namespace zerocts::watch {
namespace {

uint32_t LittleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

constexpr size_t kLengths = 8;

}  // namespace

std::optional<RecordStream::Next> RecordStream::Pop() {
  const std::string_view left = std::string_view(bytes_).substr(begin_);
  if (left.size() < kLengths) return std::nullopt;
  const uint32_t head = LittleEndian(left), bits = LittleEndian(left.substr(4));
  if (head > kMostHeadBytes || bits > kMostTensorBytes)
    throw BadRecord(fmt::format("expected a record of at most {} and {} bytes, got {} and {}", kMostHeadBytes,
                                kMostTensorBytes, head, bits));
  const size_t size = kLengths + head + bits;
  if (left.size() < size) return std::nullopt;
  Next next{std::string(left.substr(0, size)),
            RecordFrom(left.substr(kLengths, head), left.substr(kLengths + head, bits))};
  begin_ += size;
  if (begin_ > bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  return next;
}

}  // namespace zerocts::watch
