#include "bench/record/measured_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "bench/record/figures.hpp"
#include "reference/experiment/json_fields.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

Direction DirectionFrom(JsonFields& fields) {
  const std::string name = fields.Text("direction");
  for (const Direction direction : {Direction::kSmaller, Direction::kBigger, Direction::kEqual}) {
    if (ToString(direction) == name) return direction;
  }
  ThrowUnexpected(fields.PathOf("direction"), "smaller, bigger or equal", name);
}

std::vector<double> SamplesFrom(JsonFields& fields) {
  std::vector<double> samples;
  for (const json& sample : fields.Array("samples")) {
    if (!sample.is_number()) ThrowUnexpected(fields.PathOf("samples"), "numbers", sample);
    samples.push_back(sample);
  }
  if (samples.empty()) ThrowUnexpected(fields.PathOf("samples"), "one number at least", fields.Any("samples"));
  return samples;
}

Parameters CaseFrom(JsonFields& fields) {
  const json& parameters = fields.Any("case");
  if (!parameters.is_object()) ThrowUnexpected(fields.PathOf("case"), "an object", parameters);
  for (const auto& [name, value] : parameters.items()) {
    const bool fits = name == "ranks" ? value.is_number_integer() : value.is_primitive() && !value.is_null();
    if (!fits) ThrowUnexpected(fields.PathOf("case") + "." + name, name == "ranks" ? "an integer" : "a scalar", value);
  }
  return parameters;
}

json JsonOf(const std::string& line, const std::string& where) {
  try {
    return ParseJson(line);
  } catch (const JsonTextError& wrong) {
    throw std::invalid_argument(fmt::format("{}: {}", where, wrong.what()));
  }
}

BenchRecord RecordFrom(const json& line, const std::string& where) {
  JsonFields fields(line, where);
  Figures figures(fields.Text("subject"));
  const std::string what = fields.Text("what");
  const Parameters parameters = CaseFrom(fields);
  if (fields.Has("error")) {
    figures.AddError(what, parameters, fields.Text("error"));
  } else {
    const std::string unit = fields.Text("unit");
    const Direction direction = DirectionFrom(fields);
    const std::vector<double> samples = SamplesFrom(fields);
    if (direction == Direction::kEqual && std::ranges::adjacent_find(samples, std::not_equal_to()) != samples.end())
      ThrowUnexpected(fields.PathOf("samples"), "equal numbers", fields.Any("samples"));
    figures.AddSamples(what, parameters, unit, direction, samples);
  }
  fields.ExpectNoOthers();
  return figures.records().front();
}

}  // namespace

std::vector<BenchRecord> RecordsOfMeasured(std::istream& lines) {
  std::vector<BenchRecord> records;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string where = fmt::format("line {}", number);
    records.push_back(RecordFrom(JsonOf(line, where), where));
  }
  if (records.empty()) throw std::invalid_argument("expected a line for each figure, got none");
  return records;
}

}  // namespace zerocts
