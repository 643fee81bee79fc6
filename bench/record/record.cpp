#include "bench/record/record.hpp"

#include <cmath>
#include <stdexcept>

#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kSchema = "zerocts-bench-record";
constexpr int kVersion = 1;
constexpr int64_t kMostCores = 1 << 20, kMostRanks = 1 << 20, kMostUnits = 1 << 24;

constexpr std::pair<Direction, const char*> kDirections[] = {
    {Direction::kSmaller, "smaller"}, {Direction::kBigger, "bigger"}, {Direction::kEqual, "equal"}};

Direction DirectionFromString(const std::string& text) {
  for (const auto& [direction, name] : kDirections) {
    if (text == name) return direction;
  }
  throw std::invalid_argument("direction: expected smaller, bigger or equal, got " + text);
}

double NumberFrom(const json& value, const std::string& path) {
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  if (!std::isfinite(number)) ThrowUnexpected(path, "a finite number", value);
  return number;
}

double Number(JsonFields& fields, const std::string& name) { return NumberFrom(fields.Any(name), fields.PathOf(name)); }

double PartFrom(const json& value, const std::string& path) {
  const double part = NumberFrom(value, path);
  if (part < 0 || part > 1) ThrowUnexpected(path, "a number from 0 to 1", value);
  return part;
}

std::string FilledText(JsonFields& fields, const std::string& name) {
  const std::string text = fields.Text(name);
  if (text.empty()) ThrowUnexpected(fields.PathOf(name), "text that is not empty", fields.Any(name));
  return text;
}

/// `read` makes the value from the field, unless that is null.
template <typename Read>
auto Optional(JsonFields& fields, const std::string& name, Read read)
    -> std::optional<decltype(read(std::declval<const json&>(), std::string()))> {
  const json& value = fields.Any(name);
  if (value.is_null()) return std::nullopt;
  return read(value, fields.PathOf(name));
}

RecordedBound BoundFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const RecordedBound bound{FilledText(fields, "name"), Number(fields, "value")};
  fields.ExpectNoOthers();
  return bound;
}

RecordedInterval IntervalFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const RecordedInterval interval{Number(fields, "low"), Number(fields, "high"),
                                  PartFrom(fields.Any("confidence"), fields.PathOf("confidence"))};
  if (interval.high < interval.low) ThrowUnexpected(fields.PathOf("high"), "at least low", value.at("high"));
  fields.ExpectNoOthers();
  return interval;
}

RecordedSpan SpanFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const RecordedSpan span{.rank = static_cast<int>(fields.Integer("rank", 0, kMostRanks)),
                          .name = FilledText(fields, "name"),
                          .index = static_cast<int>(fields.Integer("index", -1, kMostUnits)),
                          .begin = Number(fields, "begin"),
                          .end = Number(fields, "end")};
  if (span.end < span.begin) ThrowUnexpected(fields.PathOf("end"), "at least begin", value.at("end"));
  fields.ExpectNoOthers();
  return span;
}

RecordedCommit CommitFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const RecordedCommit commit{FilledText(fields, "id"), fields.Bool("dirty"), FilledText(fields, "date")};
  fields.ExpectNoOthers();
  return commit;
}

RecordedCompiler CompilerFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const RecordedCompiler compiler{fields.Text("name"), fields.Text("version"), fields.Text("flags")};
  fields.ExpectNoOthers();
  return compiler;
}

RecordedMachine MachineFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  const RecordedMachine machine{.fingerprint = FilledText(fields, "fingerprint"),
                                .cpu = fields.Text("cpu"),
                                .cores = static_cast<int>(fields.Integer("cores", 1, kMostCores)),
                                .memory_bytes = fields.Integer("memory_bytes", 0),
                                .governor = fields.Text("governor"),
                                .kernel = fields.Text("kernel")};
  fields.ExpectNoOthers();
  return machine;
}

json ParametersFrom(JsonFields& fields) {
  const json& value = fields.Any("case");
  if (!value.is_object()) ThrowUnexpected(fields.PathOf("case"), "an object", value);
  for (const auto& [name, parameter] : value.items()) {
    const bool is_scalar = parameter.is_string() || parameter.is_number() || parameter.is_boolean();
    if (!is_scalar) ThrowUnexpected(fields.PathOf("case." + name), "text, a number, true or false", parameter);
  }
  return value;
}

void ExpectSchema(JsonFields& fields) {
  if (fields.Text("schema") != kSchema) {
    ThrowUnexpected(fields.PathOf("schema"), std::string("\"") + kSchema + "\"", fields.Any("schema"));
  }
  if (fields.Integer("version") != kVersion) {
    ThrowUnexpected(fields.PathOf("version"), "1, which this program reads", fields.Any("version"));
  }
}

template <typename Value, typename Write>
ordered_json OrNull(const std::optional<Value>& value, Write write) {
  return value ? ordered_json(write(*value)) : ordered_json(nullptr);
}

ordered_json Same(double value) { return value; }

ordered_json ToJson(const RecordedSpan& span) {
  return {{"rank", span.rank}, {"name", span.name}, {"index", span.index}, {"begin", span.begin}, {"end", span.end}};
}

ordered_json ToJson(const BenchRecord& r) {
  using Object = ordered_json;
  ordered_json line = {
      {"schema", kSchema},
      {"version", kVersion},
      {"name", r.name},
      {"value", OrNull(r.value, Same)},
      {"unit", r.unit},
      {"direction", ToString(r.direction)},
      {"bound", OrNull(r.bound,
                       [](const auto& b) {
                         return Object{{"name", b.name}, {"value", b.value}};
                       })},
      {"samples", r.samples},
      {"interval", OrNull(r.interval,
                          [](const auto& i) {
                            return Object{{"low", i.low}, {"high", i.high}, {"confidence", i.confidence}};
                          })},
      {"subject", r.subject},
      {"case", r.parameters},
      {"commit", OrNull(r.commit,
                        [](const auto& c) {
                          return Object{{"id", c.id}, {"dirty", c.dirty}, {"date", c.date}};
                        })},
      {"compiler", Object{{"name", r.compiler.name}, {"version", r.compiler.version}, {"flags", r.compiler.flags}}},
      {"machine", Object{{"fingerprint", r.machine.fingerprint},
                         {"cpu", r.machine.cpu},
                         {"cores", r.machine.cores},
                         {"memory_bytes", r.machine.memory_bytes},
                         {"governor", r.machine.governor},
                         {"kernel", r.machine.kernel}}},
      {"steal_fraction", OrNull(r.steal_fraction, Same)},
      {"oversubscribed", r.oversubscribed},
      {"date", r.date},
      {"error", r.error.empty() ? ordered_json(nullptr) : ordered_json(r.error)}};
  for (const RecordedSpan& span : r.timeline) line["timeline"].push_back(ToJson(span));
  return line;
}

}  // namespace

std::string ToString(Direction direction) {
  for (const auto& [known, name] : kDirections) {
    if (direction == known) return name;
  }
  throw std::invalid_argument("direction: expected smaller, bigger or equal, got another number");
}

BenchRecord RecordFromJson(const json& line) {
  JsonFields fields(line, "record");
  ExpectSchema(fields);
  BenchRecord record;
  record.name = FilledText(fields, "name");
  record.value = Optional(fields, "value", NumberFrom);
  record.unit = FilledText(fields, "unit");
  record.direction = EnumFrom(fields, "direction", DirectionFromString);
  record.bound = Optional(fields, "bound", BoundFrom);
  record.samples = ItemsFrom<double>(fields, "samples", NumberFrom);
  record.interval = Optional(fields, "interval", IntervalFrom);
  if (fields.Has("timeline")) record.timeline = ItemsFrom<RecordedSpan>(fields, "timeline", SpanFrom);
  record.subject = FilledText(fields, "subject");
  record.parameters = ParametersFrom(fields);
  record.commit = Optional(fields, "commit", CommitFrom);
  record.compiler = CompilerFrom(fields.Any("compiler"), fields.PathOf("compiler"));
  record.machine = MachineFrom(fields.Any("machine"), fields.PathOf("machine"));
  record.steal_fraction = Optional(fields, "steal_fraction", PartFrom);
  record.oversubscribed = fields.Bool("oversubscribed");
  record.date = FilledText(fields, "date");
  if (!fields.Any("error").is_null()) record.error = FilledText(fields, "error");
  fields.ExpectNoOthers();
  if (record.value.has_value() != record.error.empty()) {
    ThrowUnexpected(fields.PathOf("value"), "a number, or null and an error that says why", line.at("value"));
  }
  return record;
}

std::string LineOf(const BenchRecord& record) {
  std::string line = ToJson(record).dump();
  RecordFromJson(ParseJson(line));
  return line;
}

}  // namespace zerocts
