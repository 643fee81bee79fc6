// One measured figure, as every benchmark writes it: a line of JSON. record.schema.json is the same in JSON Schema.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace zerocts {

/// Which change of a figure is good. kEqual is for counts and bytes: any change is one.
enum class Direction { kSmaller, kBigger, kEqual };

struct RecordedBound {
  std::string name;
  double value = 0;  // in the unit of the figure
};

struct RecordedInterval {
  double low = 0, high = 0, confidence = 0.95;
};

/// Something that lasted on one rank during a step, in seconds from the step's begin.
struct RecordedSpan {
  int rank = 0;
  std::string name;  // forward, backward, reduce_scatter, all_gather, all_reduce, step
  int index = -1;    // unit of the model, or bucket; -1: the whole
  double begin = 0, end = 0;
};

/// The sources that the program was built from.
struct RecordedCommit {
  std::string id;
  bool dirty = false;
  std::string date;  // ISO 8601
};

struct RecordedCompiler {
  std::string name, version, flags;
};

/// No name of a host or a user.
struct RecordedMachine {
  std::string fingerprint;  // equal where times may be compared: of processor, cores and memory
  std::string cpu;
  int cores = 0;
  int64_t memory_bytes = 0;
  std::string governor;  // of the first core; "" where the system tells none
  std::string kernel;
};

/// The subject of records of what the machine allows, measured beside others.
inline constexpr const char* kBoundAsSubject = "bound";

struct BenchRecord {
  std::string name;             // step_time/stage=2/ranks=2: the same figure has the same name in every run
  std::optional<double> value;  // absent exactly where `error` says why
  std::string unit;             // s, byte, 1/s; 1 for a ratio or a count
  Direction direction = Direction::kSmaller;
  std::optional<RecordedBound> bound;
  std::vector<double> samples;  // what `value` was made of, in order of time; may be empty
  std::optional<RecordedInterval> interval;
  std::vector<RecordedSpan> timeline;                    // of one step; written where there is one
  std::string subject;                                   // native, torch-fsdp2, plugin:NAME
  nlohmann::json parameters = nlohmann::json::object();  // written as "case": small, of scalars
  std::optional<RecordedCommit> commit;                  // absent where the sources stand in no repository
  RecordedCompiler compiler;
  RecordedMachine machine;
  std::optional<double> steal_fraction;  // of processor time taken by other machines; absent where nothing tells
  bool oversubscribed = false;           // more ranks than cores: times are shown, never compared
  std::string date;                      // ISO 8601 in UTC
  std::string error;                     // "": none
};

/// One object without line breaks. Throws std::invalid_argument for a record that RecordFromJson would refuse.
std::string LineOf(const BenchRecord& record);

/// Strict. Throws std::invalid_argument with the field, what was expected and what was got.
BenchRecord RecordFromJson(const nlohmann::json& line);

std::string ToString(Direction direction);  // smaller, bigger, equal

}  // namespace zerocts
