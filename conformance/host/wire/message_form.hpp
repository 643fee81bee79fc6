// A message as its header and raw frames. Reading it is strict: what is not the protocol is named in one sentence.
#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "conformance/host/wire/protocol.hpp"
#include "reference/experiment/json_form.hpp"

namespace zerocts {

/// Describe(MessageForm&, T&) names the fields of a message's header, and its raw frames in their order.
class MessageForm : public JsonForm {
 public:
  MessageForm(nlohmann::json& header, Frames& written) : JsonForm(header), written_(&written) {}
  /// Throws ProtocolError unless there are as many frames as the kind has.
  MessageForm(JsonFields& header, const MessageKind& kind, const FrameViews& read);

  void Raw(std::string& bytes) {
    if (written_) {
      written_->push_back(bytes);
    } else {
      bytes = Next();
    }
  }

  template <typename Number>
  void Raw(std::vector<Number>& numbers) {
    if (written_) {
      written_->emplace_back(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
      return;
    }
    const std::string_view bytes = Next();
    if (bytes.size() % sizeof(Number)) ThrowFrameSize(sizeof(Number));
    numbers.resize(bytes.size() / sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }

  /// All frames that are left.
  void RawToTheEnd(Frames& frames);
  /// Throws ProtocolError when frames are left.
  void ExpectNoMoreFrames() const;

 private:
  std::string_view Next() { return read_->at(next_++); }
  [[noreturn]] void ThrowFrameSize(size_t number_bytes) const;

  Frames* written_ = nullptr;
  MessageKind kind_ = {};
  const FrameViews* read_ = nullptr;
  size_t next_ = 1;  // behind the header
};

void Describe(MessageForm& form, ObservedMessage& message);

}  // namespace zerocts
