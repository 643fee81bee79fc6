#include "bench/record/record.hpp"

#include <algorithm>
#include <stdexcept>

#include "conformance/report/words/text.hpp"
#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_form.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;
using Form = OrderedJsonForm;

constexpr const char* kSchema = "zerocts-bench-record";
constexpr int kVersion = 1;
constexpr double kLargestFigure = 1e100;
constexpr const char* kFigure = "a number from 0 to 1e100";
constexpr int64_t kMostCores = 1 << 20, kMostRanks = 1 << 20, kMostUnits = 1 << 24;

constexpr std::pair<Direction, const char*> kDirections[] = {
    {Direction::kSmaller, "smaller"}, {Direction::kBigger, "bigger"}, {Direction::kEqual, "equal"}};

Direction DirectionFromString(const std::string& text) {
  for (const auto& [direction, name] : kDirections) {
    if (text == name) return direction;
  }
  throw std::invalid_argument("direction: expected smaller, bigger or equal, got " + text);
}

bool IsPrintable(const std::string& text) { return PrintableLine(text) == text; }

void Text(Form& form, const char* name, std::string& text) {
  form.Field(name, text);
  form.Expect(name, IsPrintable(text), "printable text");
}

void Filled(Form& form, const char* name, std::string& text) {
  Text(form, name, text);
  form.Expect(name, !text.empty(), "text that is not empty");
}

bool IsFigure(double number) { return 0 <= number && number <= kLargestFigure; }

void Figure(Form& form, const char* name, double& number) {
  form.Field(name, number);
  form.Expect(name, IsFigure(number), kFigure);
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
    const bool is_text = parameter.is_string() && IsPrintable(parameter.get<std::string>());
    if (!is_text && !parameter.is_number() && !parameter.is_boolean())
      ThrowUnexpected("record.case." + name, "printable text, a number, true or false", parameter);
    form.Expect("case", IsPrintable(name), "printable names");
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
  Figure(form, "value", bound.value);
}

void Describe(Form& form, RecordedInterval& interval) {
  Figure(form, "low", interval.low);
  Figure(form, "high", interval.high);
  Part(form, "confidence", interval.confidence);
  form.Expect("high", interval.high >= interval.low, "at least low");
}

void Describe(Form& form, RecordedSpan& span) {
  form.Field("rank", span.rank, Bounds{0, kMostRanks});
  Filled(form, "name", span.name);
  form.Field("index", span.index, Bounds{-1, kMostUnits});
  Figure(form, "begin", span.begin);
  Figure(form, "end", span.end);
  form.Expect("end", span.end >= span.begin, "at least begin");
}

void Describe(Form& form, RecordedCommit& commit) {
  Filled(form, "id", commit.id);
  form.Field("dirty", commit.dirty);
  Filled(form, "date", commit.date);
}

void Describe(Form& form, RecordedCompiler& compiler) {
  Text(form, "name", compiler.name);
  Text(form, "version", compiler.version);
  Text(form, "flags", compiler.flags);
}

void Describe(Form& form, RecordedMachine& machine) {
  Filled(form, "fingerprint", machine.fingerprint);
  Text(form, "cpu", machine.cpu);
  form.Field("cores", machine.cores, Bounds{1, kMostCores});
  form.Field("memory_bytes", machine.memory_bytes, Bounds{0});
  Text(form, "governor", machine.governor);
  Text(form, "kernel", machine.kernel);
}

void Describe(Form& form, BenchRecord& r) {
  DescribeSchema(form);
  Filled(form, "name", r.name);
  form.Field("value", r.value);
  form.Expect("value", IsFigure(r.value.value_or(0)), kFigure);
  Filled(form, "unit", r.unit);
  form.Field("direction", r.direction, DirectionFromString);
  form.Field("bound", r.bound);
  form.Field("samples", r.samples);
  form.Expect("samples", std::ranges::all_of(r.samples, IsFigure), "numbers from 0 to 1e100");
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
  std::string line = Dumped(Form::ToJson(record));
  RecordFromJson(ParseJson(line));
  return line;
}

}  // namespace zerocts
