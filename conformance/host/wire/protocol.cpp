#include "conformance/host/wire/protocol.hpp"

#include <fmt/format.h>

#include "conformance/host/wire/message_form.hpp"
#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/shown_bytes.hpp"
#include "reference/optim/enum_names.hpp"

namespace zerocts {

using nlohmann::json;

MessageForm::MessageForm(JsonFields& header, const MessageKind& kind, const FrameViews& read)
    : JsonForm(header), kind_(kind), read_(&read) {
  const size_t frames = 1 + kind.raw_frames;
  if (read.size() == frames || (kind.or_more && read.size() > frames)) return;
  throw ProtocolError(
      fmt::format("{}: expected {}{} frames, got {}", kind.type, kind.or_more ? "at least " : "", frames, read.size()));
}

void MessageForm::RawToTheEnd(Frames& frames) {
  if (written_) written_->insert(written_->end(), frames.begin(), frames.end());
  while (read_ && next_ < read_->size()) frames.emplace_back(Next());
}

void MessageForm::ExpectNoMoreFrames() const {
  if (next_ != read_->size())
    throw ProtocolError(fmt::format("{}: expected {} frames, got {}", kind_.type, next_, read_->size()));
}

void MessageForm::ThrowFrameSize(size_t number_bytes) const {
  const size_t frame = next_ - 1;
  throw ProtocolError(fmt::format("{}: expected frame {} to hold numbers of {} bytes, got {} bytes", kind_.type, frame,
                                  number_bytes, (*read_)[frame].size()));
}

namespace {

constexpr EnumName<EndKind> kEndKinds[] = {{EndKind::kExited, "exit"},
                                           {EndKind::kSignaled, "signal"},
                                           {EndKind::kNotStarted, "not started"},
                                           {EndKind::kSaidTooMuch, "said too much"}};

EndKind EndKindFromString(const std::string& name) { return FromName(kEndKinds, "how", name); }

void DescribeVersion(JsonForm& form) {
  int version = kProtocolVersion;
  form.Field("protocol", version);
  if (version == kProtocolVersion) return;
  throw VersionError(fmt::format("expected protocol version {}, got {}; use worker and conductor of one release",
                                 kProtocolVersion, version));
}

using Options = std::vector<std::pair<std::string, std::string>>;

Options OptionsFrom(const json& value, const std::string& path) {
  Options options;
  for (const json& option : ExpectArray(value, path)) {
    if (!option.is_array() || option.size() != 2 || !option[0].is_string() || !option[1].is_string())
      ThrowUnexpected(path, "pairs of text", option);
    options.emplace_back(option[0], option[1]);
  }
  return options;
}

using Triples = std::vector<std::array<int64_t, 3>>;

Triples TriplesFrom(const json& value, const std::string& path) {
  Triples triples;
  for (const json& entry : ExpectArray(value, path)) {
    const std::string at = fmt::format("{}[{}]", path, triples.size());
    const std::vector<int64_t> integers = entry.is_array() ? IntegersFrom(entry, at) : std::vector<int64_t>();
    if (integers.size() != 3) ThrowUnexpected(at, "step, micro-batch and parameter", entry);
    triples.push_back({integers[0], integers[1], integers[2]});
  }
  return triples;
}

template <typename Items>
json ArraysOf(const Items& items) {
  return items;
}

}  // namespace

std::string ToString(EndKind kind) { return NameOf(kEndKinds, kind); }

void Describe(MessageForm& form, HelloMessage& m) {
  DescribeVersion(form);
  form.Fields("rank", m.rank, "world_size", m.world_size, "pid", m.pid);
  form.Fields("name", m.name, "version", m.version, "description", m.description, "capabilities", m.capabilities);
  form.Unusual("wants_inputs", m.wants_inputs);
  form.Unusual("notes", m.notes);
}

void Describe(MessageForm& form, RefusedMessage& m) {
  form.Fields("run", m.run, "call", m.call, "step", m.step, "code", m.code, "text", m.text);
}

void Describe(MessageForm& form, BreachMessage& m) { form.Fields("run", m.run, "text", m.text); }

void Describe(MessageForm& form, UnsupportedMessage& m) { form.Fields("run", m.run, "reason", m.reason); }

void Describe(MessageForm& form, FailedMessage& m) { form.Field("sentence", m.sentence); }

void Describe(MessageForm& form, ValuesMessage& m) {
  form.Fields("run", m.run, "record", m.record);
  form.Raw(m.values);
}

void Describe(MessageForm& form, SetMessage& m) {
  form.Fields("run", m.run, "request", m.request, "key", m.key);
  form.Raw(m.value);
}

void Describe(MessageForm& form, GetMessage& m) {
  form.Fields("run", m.run, "request", m.request, "key", m.key, "bytes", m.bytes, "deadline_ms", m.deadline_ms);
}

void Describe(MessageForm& form, BarrierMessage& m) {
  form.Fields("run", m.run, "request", m.request, "deadline_ms", m.deadline_ms);
}

void Describe(MessageForm& form, SteppedMessage& m) {
  form.Fields("run", m.run, "request", m.request);
  form.Field("step", m.step, Bounds{0});
  form.Field("nanoseconds", m.nanoseconds, Bounds{0});
  form.Field("parameters", m.parameters);
  std::vector<float> norm_and_clip = {m.grad_norm, m.clip_coefficient};
  form.Raw(norm_and_clip);
  form.Raw(m.losses);
  if (norm_and_clip.size() != 2) {
    throw ProtocolError(
        fmt::format("stepped: expected a norm and a clip coefficient, got {} numbers", norm_and_clip.size()));
  }
  if (!form.read()) return;
  m.grad_norm = norm_and_clip[0];
  m.clip_coefficient = norm_and_clip[1];
}

void Describe(MessageForm& form, StartedMessage& m) {
  form.Fields("rank", m.rank, "shim_pid", m.shim_pid, "pid", m.pid);
}

void Describe(MessageForm& form, EndedMessage& m) {
  form.Field("rank", m.rank);
  form.Field("how", m.kind, EndKindFromString);
  form.Fields("code", m.code, "text", m.text);
}

void Describe(MessageForm& form, WelcomeMessage& m) {
  DescribeVersion(form);
  form.Field("page", m.page);
  form.Field("options", m.options, ArraysOf<Options>, OptionsFrom);
}

void Describe(MessageForm& form, RunMessage& m) {
  form.Fields("run", m.run, "deadline_ms", m.deadline_ms);
  form.Raw(m.case_json);
  form.Unusual("checkpoint_folder", m.checkpoint_folder);
  if (!form.Has("without_gradient", m.inputs.has_value())) return;
  if (form.read()) m.inputs.emplace();
  form.Field("without_gradient", m.inputs->without_gradient, ArraysOf<Triples>, TriplesFrom);
  form.RawToTheEnd(m.inputs->frames);
}

void Describe(MessageForm& form, FetchMessage& m) { form.Fields("run", m.run, "record", m.record); }

void Describe(MessageForm& form, DoneMessage& m) {
  form.Fields("request", m.request, "code", m.code, "text", m.text);
  form.Raw(m.value);
}

void Describe(MessageForm&, StopMessage&) {}

namespace {

json HeaderFrom(const FrameViews& frames) {
  if (frames.empty()) throw ProtocolError("expected a JSON header, got a message without frames");
  const std::string expected_object =
      fmt::format("expected a JSON object as header, got {} bytes \"{}\"", frames[0].size(), ShownBytes(frames[0]));
  try {
    json header = ParseJson(frames[0]);
    if (!header.is_object()) throw ProtocolError(expected_object);
    return header;
  } catch (const JsonTextError& wrong) {
    throw ProtocolError(fmt::format("{}: {}", expected_object, wrong.what()));
  }
}

template <typename Message>
Message Read(JsonFields& header, const FrameViews& frames) {
  Message message;
  MessageForm form(header, Message::kKind, frames);
  Describe(form, message);
  form.ExpectNoMoreFrames();
  header.ExpectNoOthers();
  return message;
}

/// The one of these messages that has the header's type.
template <typename... Messages>
void Decode(const FrameViews& frames, const char* sender, std::variant<Messages...>& message) {
  const json header = HeaderFrom(frames);
  try {
    const std::string type = JsonFields(header, "message").Text("type");
    JsonFields fields(header, type);
    fields.Any("type");
    const bool known = ((type == Messages::kKind.type && (message = Read<Messages>(fields, frames), true)) || ...);
    if (!known)
      throw ProtocolError(fmt::format("expected a message of {}, got the type \"{}\"", sender, ShownBytes(type)));
  } catch (const std::invalid_argument& wrong) {
    throw ProtocolError(wrong.what());
  }
}

}  // namespace

RankMessage DecodeFromRank(const FrameViews& frames) {
  RankMessage message;
  Decode(frames, "a rank", message);
  return message;
}

ShimMessage DecodeFromShim(const FrameViews& frames) {
  ShimMessage message;
  Decode(frames, "a shim", message);
  return message;
}

ConductorMessage DecodeFromConductor(const FrameViews& frames) {
  ConductorMessage message;
  Decode(frames, "the conductor", message);
  return message;
}

template <typename Message>
Frames Encode(const Message& message) {
  json header = {{"type", Message::kKind.type}};
  Frames frames(1);
  MessageForm form(header, frames);
  Describe(form, const_cast<Message&>(message));
  frames[0] = Dumped(header);
  return frames;
}

template Frames Encode(const HelloMessage&);
template Frames Encode(const ObservedMessage&);
template Frames Encode(const RefusedMessage&);
template Frames Encode(const BreachMessage&);
template Frames Encode(const UnsupportedMessage&);
template Frames Encode(const FailedMessage&);
template Frames Encode(const ValuesMessage&);
template Frames Encode(const SetMessage&);
template Frames Encode(const GetMessage&);
template Frames Encode(const BarrierMessage&);
template Frames Encode(const SteppedMessage&);
template Frames Encode(const StartedMessage&);
template Frames Encode(const EndedMessage&);
template Frames Encode(const WelcomeMessage&);
template Frames Encode(const RunMessage&);
template Frames Encode(const FetchMessage&);
template Frames Encode(const DoneMessage&);
template Frames Encode(const StopMessage&);

}  // namespace zerocts
