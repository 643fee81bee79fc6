#include "bench/record/record.hpp"

#include <stdexcept>

#include "reference/experiment/json_form.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;
using Form = OrderedJsonForm;

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

void Filled(Form& form, const char* name, std::string& text) {
  form.Field(name, text);
  form.Expect(name, !text.empty(), "text that is not empty");
}

void Part(Form& form, const char* name, double& part) {
  form.Field(name, part);
  form.Expect(name, 0 <= part && part <= 1, "a number from 0 to 1");
}

void DescribeSchema(Form& form) {
  std::string schema = kSchema;
  int64_t version = kVersion;
  form.Field("schema", schema);
  form.Expect("schema", schema == kSchema, std::string("\"") + kSchema + "\"");
  form.Field("version", version);
  form.Expect("version", version == kVersion, "1, which this program reads");
}

void ExpectScalars(const Form& form, const json& parameters) {
  form.Expect("case", parameters.is_object(), "an object");
  for (const auto& [name, parameter] : parameters.items()) {
    const bool is_scalar = parameter.is_string() || parameter.is_number() || parameter.is_boolean();
    if (!is_scalar) ThrowUnexpected("record.case." + name, "text, a number, true or false", parameter);
  }
}

nlohmann::ordered_json OrNull(const std::string& error) {
  return error.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(error);
}

std::string ErrorFrom(const json& value, const std::string& path) {
  std::string error;
  if (value.is_null()) return error;
  ReadJson(value, path, error);
  if (error.empty()) ThrowUnexpected(path, "text that is not empty", value);
  return error;
}

}  // namespace

void Describe(Form& form, RecordedBound& bound) {
  Filled(form, "name", bound.name);
  form.Field("value", bound.value);
}

void Describe(Form& form, RecordedInterval& interval) {
  form.Fields("low", interval.low, "high", interval.high);
  Part(form, "confidence", interval.confidence);
  form.Expect("high", interval.high >= interval.low, "at least low");
}

void Describe(Form& form, RecordedSpan& span) {
  form.Field("rank", span.rank, Bounds{0, kMostRanks});
  Filled(form, "name", span.name);
  form.Field("index", span.index, Bounds{-1, kMostUnits});
  form.Fields("begin", span.begin, "end", span.end);
  form.Expect("end", span.end >= span.begin, "at least begin");
}

void Describe(Form& form, RecordedCommit& commit) {
  Filled(form, "id", commit.id);
  form.Field("dirty", commit.dirty);
  Filled(form, "date", commit.date);
}

void Describe(Form& form, RecordedCompiler& compiler) {
  form.Fields("name", compiler.name, "version", compiler.version, "flags", compiler.flags);
}

void Describe(Form& form, RecordedMachine& machine) {
  Filled(form, "fingerprint", machine.fingerprint);
  form.Field("cpu", machine.cpu);
  form.Field("cores", machine.cores, Bounds{1, kMostCores});
  form.Field("memory_bytes", machine.memory_bytes, Bounds{0});
  form.Fields("governor", machine.governor, "kernel", machine.kernel);
}

void Describe(Form& form, BenchRecord& r) {
  DescribeSchema(form);
  Filled(form, "name", r.name);
  form.Field("value", r.value);
  Filled(form, "unit", r.unit);
  form.Field("direction", r.direction, DirectionFromString);
  form.Field("bound", r.bound);
  form.Field("samples", r.samples);
  form.Field("interval", r.interval);
  Filled(form, "subject", r.subject);
  form.Field("case", r.parameters);
  ExpectScalars(form, r.parameters);
  form.Field("commit", r.commit);
  form.Field("compiler", r.compiler);
  form.Field("machine", r.machine);
  form.Field("steal_fraction", r.steal_fraction);
  const double steal = r.steal_fraction.value_or(0);
  form.Expect("steal_fraction", 0 <= steal && steal <= 1, "a number from 0 to 1");
  form.Field("oversubscribed", r.oversubscribed);
  Filled(form, "date", r.date);
  form.Field("error", r.error, OrNull, ErrorFrom);
  form.Expect("value", r.value.has_value() == r.error.empty(), "a number, or null and an error that says why");
  if (form.Has("timeline", !r.timeline.empty())) form.Field("timeline", r.timeline);
}

std::string ToString(Direction direction) {
  for (const auto& [known, name] : kDirections) {
    if (direction == known) return name;
  }
  throw std::invalid_argument("direction: expected smaller, bigger or equal, got another number");
}

BenchRecord RecordFromJson(const json& line) { return Form::From<BenchRecord>(line, "record"); }

std::string LineOf(const BenchRecord& record) {
  std::string line = Form::ToJson(record).dump();
  RecordFromJson(ParseJson(line));
  return line;
}

}  // namespace zerocts
