#include "bench/record/figures.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "bench/timing/statistics.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

constexpr double kConfidence = 0.95;

std::string TextOf(const nlohmann::json& value) {
  return value.is_string() ? PrintableLine(value.get<std::string>()) : value.dump();
}

}  // namespace

std::string NameOfFigure(const std::string& what, const Parameters& parameters) {
  std::string name = what;
  for (const auto& [key, value] : parameters.items()) name += fmt::format("/{}={}", key, TextOf(value));
  return name;
}

BenchRecord& Figures::AddBlank(const std::string& what, const Parameters& parameters) {
  BenchRecord record = BlankRecord(subject_, parameters.value("ranks", 1), steal_);
  record.name = NameOfFigure(what, parameters);
  record.parameters = parameters;
  return records_.emplace_back(std::move(record));
}

BenchRecord& Figures::AddTime(const std::string& what, const Parameters& parameters,
                              const std::vector<double>& seconds) {
  return AddSamples(what, parameters, "s", Direction::kSmaller, seconds);
}

BenchRecord& Figures::AddSamples(const std::string& what, const Parameters& parameters, const std::string& unit,
                                 Direction direction, const std::vector<double>& samples) {
  BenchRecord& record = Add(what, parameters, unit, direction, MedianOf(samples));
  record.samples = samples;
  if (const auto range = MedianInterval(samples, kConfidence)) {
    record.interval = RecordedInterval{range->low, range->high, kConfidence};
  }
  return record;
}

BenchRecord& Figures::AddCount(const std::string& what, const Parameters& parameters, const std::string& unit,
                               int64_t count) {
  return Add(what, parameters, unit, Direction::kEqual, static_cast<double>(count));
}

BenchRecord& Figures::Add(const std::string& what, const Parameters& parameters, const std::string& unit,
                          Direction direction, double value) {
  BenchRecord& record = AddBlank(what, parameters);
  record.value = value;
  record.unit = unit;
  record.direction = direction;
  return record;
}

void Figures::AddError(const std::string& what, const Parameters& parameters, const std::string& sentence) {
  BenchRecord& record = AddBlank(what, parameters);
  record.unit = "1";
  record.error = sentence.empty() ? "it failed without a sentence" : sentence;
}

bool Figures::Try(const std::string& what, const Parameters& parameters, const std::function<void()>& measure) {
  try {
    measure();
    return true;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}: {}\n", NameOfFigure(what, parameters), error.what());
    AddError(what, parameters, error.what());
    failed_ = true;
    return false;
  }
}

}  // namespace zerocts
