// What a rank, its shim and the conductor say to each other, as values. conformance/abi/rank_protocol.md is the same as
// text.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/cases/case/observation.hpp"

namespace zerocts {

inline constexpr int kProtocolVersion = 1;
/// A piece of a tensor with more elements travels as its hash first.
inline constexpr size_t kHeldAboveNumel = 64 * 1024;

/// Something arrived that the protocol does not know. The sentence says what was expected and what was got.
struct ProtocolError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The peer speaks another version of the protocol.
struct VersionError : ProtocolError {
  using ProtocolError::ProtocolError;
};

using Frames = std::vector<std::string>;           // a message to be sent: JSON header first, raw frames after it
using FrameViews = std::vector<std::string_view>;  // a message that arrived, without routing id

struct MessageKind {
  const char* type;
  size_t raw_frames = 0;  // behind the header
  bool or_more = false;
};

// --- from a rank to the conductor

struct HelloMessage {
  static constexpr MessageKind kKind = {"hello"};
  int rank = 0, world_size = 1, pid = 0;
  std::string name, version, description, capabilities;  // of the subject
  bool wants_inputs = false;                             // it cannot make them from the case: they come with every run
  std::vector<std::string> notes;                        // for the reader of a report: what loading the subject changed
};
struct ObservedMessage {
  static constexpr MessageKind kKind = {"observed", 3};
  uint64_t run = 0;
  RankObservation observation;
  std::vector<std::string> notes;  // what a reader should know, no failure
};
struct RefusedMessage {
  static constexpr MessageKind kKind = {"refused"};
  uint64_t run = 0;
  std::string call;  // "open"
  int64_t step = -1;
  int code = 0;  // of zerocts_subject.h
  std::string text;
};
/// The subject broke a rule of zerocts_subject.h that no result of a call shows.
struct BreachMessage {
  static constexpr MessageKind kKind = {"breach"};
  uint64_t run = 0;
  std::string text;  // goes on after "rank 1": "wrote 4 bytes past the end of ..", "left 2 blocks of alloc .."
};
struct UnsupportedMessage {
  static constexpr MessageKind kKind = {"unsupported"};
  uint64_t run = 0;
  std::string reason;
};
/// The rank cannot go on and its subject's work is not what is wrong: the plugin does not load, the case cannot be
/// read.
struct FailedMessage {
  static constexpr MessageKind kKind = {"failed"};
  std::string sentence;
};
struct ValuesMessage {
  static constexpr MessageKind kKind = {"values", 1};
  uint64_t run = 0;
  size_t record = 0;
  std::vector<float> values;
};
struct SetMessage {
  static constexpr MessageKind kKind = {"set", 1};
  uint64_t run = 0, request = 0;
  std::string key, value;
};
struct GetMessage {
  static constexpr MessageKind kKind = {"get"};
  uint64_t run = 0, request = 0;
  std::string key;
  uint64_t bytes = 0;
  uint32_t deadline_ms = 0;
};
struct BarrierMessage {
  static constexpr MessageKind kKind = {"barrier"};
  uint64_t run = 0, request = 0;
  uint32_t deadline_ms = 0;
};
/// A step of a case that reports its steps; answered by go on or stop.
struct SteppedMessage {
  static constexpr MessageKind kKind = {"stepped", 2};
  uint64_t run = 0, request = 0;
  int64_t step = 0;
  int64_t nanoseconds = 0;              // that it took, from its first micro-batch on
  std::vector<std::string> parameters;  // HashOf of each afterwards, where the rank can make it
  float grad_norm = 0, clip_coefficient = 1;
  std::vector<double> losses;  // as in StepScalars
};

// --- from a shim to the conductor

struct StartedMessage {
  static constexpr MessageKind kKind = {"started"};
  int rank = 0;
  int shim_pid = 0, pid = 0;  // pid leads the rank's process group
};
enum class EndKind { kExited, kSignaled, kNotStarted, kSaidTooMuch };
struct EndedMessage {
  static constexpr MessageKind kKind = {"ended"};
  int rank = 0;
  EndKind kind = EndKind::kExited;
  int code = 0;      // exit code, signal number or errno
  std::string text;  // kNotStarted: why; kSaidTooMuch: how much
};

using RankMessage = std::variant<HelloMessage, ObservedMessage, RefusedMessage, BreachMessage, UnsupportedMessage,
                                 FailedMessage, ValuesMessage, SetMessage, GetMessage, BarrierMessage, SteppedMessage>;
using ShimMessage = std::variant<StartedMessage, EndedMessage>;

// --- from the conductor

struct WelcomeMessage {
  static constexpr MessageKind kKind = {"welcome"};
  std::string page;  // file of the rank's page, see rank_page.hpp
  std::vector<std::pair<std::string, std::string>> options;
};
/// What a rank that has no generator is fed.
struct ShippedInputs {
  std::vector<std::array<int64_t, 3>> without_gradient;  // step, micro-batch, parameter: given as NULL
  std::vector<std::string>
      frames;  // initial values; then per step and micro-batch the gradients, or inputs and targets
};
struct RunMessage {
  static constexpr MessageKind kKind = {"run", 1, true};
  uint64_t run = 0;
  uint32_t deadline_ms = 0;
  std::string case_json;
  std::optional<ShippedInputs> inputs;  // for those that want them
  std::string checkpoint_folder;        // where the case's checkpoint goes; "": it has none
};
struct FetchMessage {
  static constexpr MessageKind kKind = {"fetch"};
  uint64_t run = 0;
  size_t record = 0;
};
/// The answer to stepped, as the value of done.
inline constexpr const char* kGoOn = "go on";
inline constexpr const char* kStopThere = "stop";
/// Answer to set, get, barrier and stepped.
struct DoneMessage {
  static constexpr MessageKind kKind = {"done", 1};
  uint64_t request = 0;
  int code = 0;      // of zerocts_subject.h
  std::string text;  // what went wrong
  std::string value;
};
struct StopMessage {
  static constexpr MessageKind kKind = {"stop"};
};

using ConductorMessage = std::variant<WelcomeMessage, RunMessage, FetchMessage, DoneMessage, StopMessage>;

/// Takes any of the messages above.
template <typename Message>
Frames Encode(const Message& message);

RankMessage DecodeFromRank(const FrameViews& frames);            // throws ProtocolError
ShimMessage DecodeFromShim(const FrameViews& frames);            // throws ProtocolError
ConductorMessage DecodeFromConductor(const FrameViews& frames);  // throws ProtocolError

}  // namespace zerocts
