// Headers and raw frames of a message: reading them strictly, so that what is not the protocol is named in one
// sentence.
#pragma once
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/host/wire/protocol.hpp"
#include "reference/experiment/json_fields.hpp"

namespace zerocts {

/// A message that arrived: its header field by field, and its raw frames.
class FrameReader {
 public:
  /// Throws ProtocolError unless the first frame is a JSON object with a "type".
  explicit FrameReader(const FrameViews& frames);

  const std::string& type() const { return type_; }
  JsonFields& fields() { return *fields_; }
  std::string Bytes(size_t frame) const { return std::string(Frame(frame)); }

  size_t frames() const { return frames_.size(); }
  /// Throws ProtocolError unless there are this many frames, the header included.
  void ExpectFrames(size_t count) const;

  template <typename Number>
  std::vector<Number> Numbers(size_t frame) const {
    const std::string_view bytes = Frame(frame);
    if (bytes.size() % sizeof(Number)) ThrowFrameSize(frame, sizeof(Number));
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

 private:
  std::string_view Frame(size_t frame) const;  // throws ProtocolError unless it is there
  [[noreturn]] void ThrowFrameSize(size_t frame, size_t number_bytes) const;

  FrameViews frames_;
  nlohmann::json header_;
  std::string type_;
  std::unique_ptr<JsonFields> fields_;
};

template <typename Number>
std::string RawFrame(const std::vector<Number>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

/// An observation as fields of a header and three frames: values (fp32), scalars (fp32 pairs), losses (fp64).
Frames EncodeObserved(const ObservedMessage& message);
ObservedMessage DecodeObserved(FrameReader& reader);

}  // namespace zerocts
