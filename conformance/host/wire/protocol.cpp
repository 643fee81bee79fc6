#include "conformance/host/wire/protocol.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/host/wire/frames.hpp"
#include "conformance/host/wire/json_texts.hpp"
#include "conformance/host/wire/observed_json.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/shown_bytes.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

Frames Header(const json& fields) { return {fields.dump(-1, ' ', false, json::error_handler_t::replace)}; }

json HeaderFrom(std::string_view frame) {
  const std::string expected_object =
      fmt::format("expected a JSON object as header, got {} bytes \"{}\"", frame.size(), ShownBytes(frame));
  try {
    json header = ParseJson(frame);
    if (!header.is_object()) throw ProtocolError(expected_object);
    return header;
  } catch (const JsonTextError& wrong) {
    throw ProtocolError(fmt::format("{}: {}", expected_object, wrong.what()));
  }
}

uint32_t DeadlineFrom(JsonFields& fields) {
  return static_cast<uint32_t>(fields.Integer("deadline_ms", 0, UINT32_MAX));
}

EndKind EndKindFrom(JsonFields& fields) {
  const std::string how = fields.Text("how");
  if (how == "exit") return EndKind::kExited;
  if (how == "signal") return EndKind::kSignaled;
  if (how == "not started") return EndKind::kNotStarted;
  if (how == "said too much") return EndKind::kSaidTooMuch;
  throw std::invalid_argument("how: expected exit, signal, not started or said too much, got " + how);
}

std::string ToString(EndKind kind) {
  switch (kind) {
    case EndKind::kExited: return "exit";
    case EndKind::kSignaled: return "signal";
    case EndKind::kNotStarted: return "not started";
    case EndKind::kSaidTooMuch: return "said too much";
  }
  return "";
}

void ExpectVersion(JsonFields& fields) {
  const int version = fields.Int("protocol");
  if (version != kProtocolVersion) {
    throw VersionError(fmt::format("expected protocol version {}, got {}; use worker and conductor of one release",
                                   kProtocolVersion, version));
  }
}

HelloMessage DecodeHello(JsonFields& fields) {
  ExpectVersion(fields);
  HelloMessage hello;
  hello.rank = fields.Int("rank");
  hello.world_size = fields.Int("world_size");
  hello.pid = fields.Int("pid");
  hello.name = fields.Text("name");
  hello.version = fields.Text("version");
  hello.description = fields.Text("description");
  hello.capabilities = fields.Text("capabilities");
  hello.wants_inputs = fields.Has("wants_inputs") && fields.Bool("wants_inputs");
  if (fields.Has("notes")) hello.notes = TextsFrom(fields, "notes");
  return hello;
}

WelcomeMessage DecodeWelcome(JsonFields& fields) {
  ExpectVersion(fields);
  WelcomeMessage welcome;
  welcome.page = fields.Text("page");
  for (const json& option : fields.Array("options")) {
    if (!option.is_array() || option.size() != 2 || !option[0].is_string() || !option[1].is_string()) {
      ThrowUnexpected(fields.PathOf("options"), "pairs of text", option);
    }
    welcome.options.emplace_back(option[0], option[1]);
  }
  return welcome;
}

ShippedInputs InputsFrom(FrameReader& reader) {
  ShippedInputs inputs;
  for (const json& entry : reader.fields().Array("without_gradient")) {
    const std::vector<int64_t> integers =
        entry.is_array() ? IntegersFrom<int64_t>(entry, "run.without_gradient") : std::vector<int64_t>();
    if (integers.size() != 3) ThrowUnexpected("run.without_gradient", "step, micro-batch and parameter", entry);
    inputs.without_gradient.push_back({integers[0], integers[1], integers[2]});
  }
  for (size_t frame = 2; frame < reader.frames(); ++frame) inputs.frames.push_back(reader.Bytes(frame));
  return inputs;
}

RunMessage DecodeRun(FrameReader& reader) {
  JsonFields& fields = reader.fields();
  const bool shipped = fields.Has("without_gradient");
  if (!shipped) reader.ExpectFrames(2);
  RunMessage run{fields.Unsigned("run"), DeadlineFrom(fields), reader.Bytes(1), std::nullopt, ""};
  if (fields.Has("checkpoint_folder")) run.checkpoint_folder = fields.Text("checkpoint_folder");
  if (shipped) run.inputs = InputsFrom(reader);
  return run;
}

SteppedMessage DecodeStepped(FrameReader& reader) {
  JsonFields& fields = reader.fields();
  SteppedMessage stepped{fields.Unsigned("run"), fields.Unsigned("request"), fields.Integer("step", 0, INT64_MAX),
                         fields.Integer("nanoseconds", 0, INT64_MAX), TextsFrom(fields, "parameters")};
  const std::vector<float> norm_and_clip = reader.Numbers<float>(1);
  if (norm_and_clip.size() != 2) {
    throw ProtocolError(
        fmt::format("stepped: expected a norm and a clip coefficient, got {} numbers", norm_and_clip.size()));
  }
  stepped.grad_norm = norm_and_clip[0];
  stepped.clip_coefficient = norm_and_clip[1];
  stepped.losses = reader.Numbers<double>(2);
  return stepped;
}

RankMessage RankMessageFrom(FrameReader& reader) {
  const std::string& type = reader.type();
  JsonFields& fields = reader.fields();
  const auto frames = [&](size_t raw) { reader.ExpectFrames(1 + raw); };
  if (type == "hello") return frames(0), DecodeHello(fields);
  if (type == "observed") return frames(3), DecodeObserved(reader);
  if (type == "refused") {
    frames(0);
    return RefusedMessage{fields.Unsigned("run"), fields.Text("call"), fields.Integer("step"), fields.Int("code"),
                          fields.Text("text")};
  }
  if (type == "breach") return frames(0), BreachMessage{fields.Unsigned("run"), fields.Text("text")};
  if (type == "unsupported") return frames(0), UnsupportedMessage{fields.Unsigned("run"), fields.Text("reason")};
  if (type == "failed") return frames(0), FailedMessage{fields.Text("sentence")};
  if (type == "values")
    return frames(1), ValuesMessage{fields.Unsigned("run"), fields.Unsigned("record"), reader.Numbers<float>(1)};
  if (type == "put") {
    frames(1);
    return PutMessage{fields.Unsigned("run"), fields.Unsigned("request"), fields.Text("key"), reader.Bytes(1)};
  }
  if (type == "get") {
    frames(0);
    return GetMessage{fields.Unsigned("run"), fields.Unsigned("request"), fields.Text("key"), fields.Unsigned("bytes"),
                      DeadlineFrom(fields)};
  }
  if (type == "stepped") return frames(2), DecodeStepped(reader);
  if (type == "barrier")
    return frames(0), BarrierMessage{fields.Unsigned("run"), fields.Unsigned("request"), DeadlineFrom(fields)};
  throw ProtocolError("expected a message of a rank, got the type \"" + ShownBytes(type) + "\"");
}

ShimMessage ShimMessageFrom(FrameReader& reader) {
  const std::string& type = reader.type();
  JsonFields& fields = reader.fields();
  reader.ExpectFrames(1);
  if (type == "started") return StartedMessage{fields.Int("rank"), fields.Int("shim_pid"), fields.Int("pid")};
  if (type == "ended")
    return EndedMessage{fields.Int("rank"), EndKindFrom(fields), fields.Int("code"), fields.Text("text")};
  throw ProtocolError("expected a message of a shim, got the type \"" + ShownBytes(type) + "\"");
}

ConductorMessage ConductorMessageFrom(FrameReader& reader) {
  const std::string& type = reader.type();
  JsonFields& fields = reader.fields();
  const auto frames = [&](size_t raw) { reader.ExpectFrames(1 + raw); };
  if (type == "welcome") return frames(0), DecodeWelcome(fields);
  if (type == "run") return DecodeRun(reader);
  if (type == "fetch") return frames(0), FetchMessage{fields.Unsigned("run"), fields.Unsigned("record")};
  if (type == "done")
    return frames(1), DoneMessage{fields.Unsigned("request"), fields.Int("code"), fields.Text("text"), reader.Bytes(1)};
  if (type == "stop") return frames(0), StopMessage{};
  throw ProtocolError("expected a message of the conductor, got the type \"" + ShownBytes(type) + "\"");
}

template <typename Message, typename Read>
Message Decode(const FrameViews& frames, Read read) {
  FrameReader reader(frames);
  try {
    Message message = read(reader);
    reader.fields().ExpectNoOthers();
    return message;
  } catch (const std::invalid_argument& wrong) {
    throw ProtocolError(wrong.what());
  }
}

}  // namespace

FrameReader::FrameReader(const FrameViews& frames) : frames_(frames) {
  if (frames.empty()) throw ProtocolError("expected a JSON header, got a message without frames");
  header_ = HeaderFrom(frames[0]);
  try {
    type_ = JsonFields(header_, "message").Text("type");
    fields_ = std::make_unique<JsonFields>(header_, type_);
    fields_->Text("type");
  } catch (const std::invalid_argument& wrong) {
    throw ProtocolError(wrong.what());
  }
}

void FrameReader::ExpectFrames(size_t count) const {
  if (frames_.size() != count)
    throw ProtocolError(fmt::format("{}: expected {} frames, got {}", type_, count, frames_.size()));
}

std::string_view FrameReader::Frame(size_t frame) const {
  if (frame < frames_.size()) return frames_[frame];
  throw ProtocolError(fmt::format("{}: expected at least {} frames, got {}", type_, frame + 1, frames_.size()));
}

void FrameReader::ThrowFrameSize(size_t frame, size_t number_bytes) const {
  throw ProtocolError(fmt::format("{}: expected frame {} to hold numbers of {} bytes, got {} bytes", type_, frame,
                                  number_bytes, frames_[frame].size()));
}

Frames Encode(const HelloMessage& m) {
  json header = {{"type", "hello"},
                 {"protocol", kProtocolVersion},
                 {"rank", m.rank},
                 {"world_size", m.world_size},
                 {"pid", m.pid},
                 {"name", m.name},
                 {"version", m.version},
                 {"description", m.description},
                 {"capabilities", m.capabilities}};
  if (m.wants_inputs) header["wants_inputs"] = true;
  if (!m.notes.empty()) header["notes"] = m.notes;
  return Header(header);
}

Frames Encode(const ObservedMessage& m) { return EncodeObserved(m); }

Frames Encode(const RefusedMessage& m) {
  return Header(
      {{"type", "refused"}, {"run", m.run}, {"call", m.call}, {"step", m.step}, {"code", m.code}, {"text", m.text}});
}

Frames Encode(const BreachMessage& m) { return Header({{"type", "breach"}, {"run", m.run}, {"text", m.text}}); }

Frames Encode(const UnsupportedMessage& m) {
  return Header({{"type", "unsupported"}, {"run", m.run}, {"reason", m.reason}});
}

Frames Encode(const FailedMessage& m) { return Header({{"type", "failed"}, {"sentence", m.sentence}}); }

Frames Encode(const ValuesMessage& m) {
  Frames frames = Header({{"type", "values"}, {"run", m.run}, {"record", m.record}});
  frames.push_back(RawFrame(m.values));
  return frames;
}

Frames Encode(const PutMessage& m) {
  Frames frames = Header({{"type", "put"}, {"run", m.run}, {"request", m.request}, {"key", m.key}});
  frames.push_back(m.value);
  return frames;
}

Frames Encode(const GetMessage& m) {
  return Header({{"type", "get"},
                 {"run", m.run},
                 {"request", m.request},
                 {"key", m.key},
                 {"bytes", m.bytes},
                 {"deadline_ms", m.deadline_ms}});
}

Frames Encode(const BarrierMessage& m) {
  return Header({{"type", "barrier"}, {"run", m.run}, {"request", m.request}, {"deadline_ms", m.deadline_ms}});
}

Frames Encode(const SteppedMessage& m) {
  Frames frames = Header({{"type", "stepped"},
                          {"run", m.run},
                          {"request", m.request},
                          {"step", m.step},
                          {"nanoseconds", m.nanoseconds},
                          {"parameters", m.parameters}});
  frames.push_back(RawFrame(std::vector{m.grad_norm, m.clip_coefficient}));
  frames.push_back(RawFrame(m.losses));
  return frames;
}

Frames Encode(const StartedMessage& m) {
  return Header({{"type", "started"}, {"rank", m.rank}, {"shim_pid", m.shim_pid}, {"pid", m.pid}});
}

Frames Encode(const EndedMessage& m) {
  return Header({{"type", "ended"}, {"rank", m.rank}, {"how", ToString(m.kind)}, {"code", m.code}, {"text", m.text}});
}

Frames Encode(const WelcomeMessage& m) {
  json options = json::array();
  for (const auto& [key, value] : m.options) options.push_back({key, value});
  return Header(
      {{"type", "welcome"}, {"protocol", kProtocolVersion}, {"page", m.page}, {"options", std::move(options)}});
}

Frames Encode(const RunMessage& m) {
  json header = {{"type", "run"}, {"run", m.run}, {"deadline_ms", m.deadline_ms}};
  if (!m.checkpoint_folder.empty()) header["checkpoint_folder"] = m.checkpoint_folder;
  if (m.inputs) header["without_gradient"] = m.inputs->without_gradient;
  Frames frames = Header(header);
  frames.push_back(m.case_json);
  if (m.inputs) frames.insert(frames.end(), m.inputs->frames.begin(), m.inputs->frames.end());
  return frames;
}

Frames Encode(const FetchMessage& m) { return Header({{"type", "fetch"}, {"run", m.run}, {"record", m.record}}); }

Frames Encode(const DoneMessage& m) {
  Frames frames = Header({{"type", "done"}, {"request", m.request}, {"code", m.code}, {"text", m.text}});
  frames.push_back(m.value);
  return frames;
}

Frames Encode(const StopMessage&) { return Header({{"type", "stop"}}); }

RankMessage DecodeFromRank(const FrameViews& frames) { return Decode<RankMessage>(frames, RankMessageFrom); }

ShimMessage DecodeFromShim(const FrameViews& frames) { return Decode<ShimMessage>(frames, ShimMessageFrom); }

ConductorMessage DecodeFromConductor(const FrameViews& frames) {
  return Decode<ConductorMessage>(frames, ConductorMessageFrom);
}

}  // namespace zerocts
