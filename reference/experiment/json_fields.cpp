#include "reference/experiment/json_fields.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "reference/experiment/json_dump.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

constexpr uint64_t kLargestExactInDouble = uint64_t{1} << 53;

constexpr size_t kShownOfValue = 60;

std::string ScalarText(const json& value) { return Dumped(value); }

std::string StringText(const std::string& text) { return ScalarText(text.substr(0, kShownOfValue + 1)); }

/// Appends the text of `value` until more than kShownOfValue stand there. Each level adds a byte, so that bounds the
/// recursion too.
void AppendStart(const json& value, std::string& text) {
  if (text.size() > kShownOfValue) return;
  if (value.is_string()) text += StringText(value.get_ref<const std::string&>());
  if (!value.is_string() && !value.is_structured()) text += ScalarText(value);
  if (!value.is_structured()) return;
  text += value.is_object() ? '{' : '[';
  const char* separator = "";
  for (auto item = value.begin(); item != value.end() && text.size() <= kShownOfValue; ++item) {
    text += std::exchange(separator, ",");
    if (value.is_object()) text += StringText(item.key()) + ':';
    AppendStart(*item, text);
  }
  text += value.is_object() ? '}' : ']';
}

bool ContinuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }  // in UTF-8

std::string Shortened(const json& value) {
  std::string text;
  AppendStart(value, text);
  if (text.size() <= kShownOfValue) return text;
  size_t end = kShownOfValue - 3;
  while (end > 0 && ContinuesCharacter(text[end])) --end;
  return text.substr(0, end) + "...";
}

int64_t IntegerBetween(const json& value, const std::string& path, int64_t min, int64_t max) {
  const bool fits = value.is_number_unsigned()
                        ? value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                        : value.is_number_integer();
  if (fits && value.get<int64_t>() >= min && value.get<int64_t>() <= max) return value.get<int64_t>();
  const bool whole_range = min == std::numeric_limits<int64_t>::min() && max == std::numeric_limits<int64_t>::max();
  ThrowUnexpected(path,
                  whole_range ? "an integer" : "an integer from " + std::to_string(min) + " to " + std::to_string(max),
                  value);
}

}  // namespace

void ThrowUnexpected(const std::string& path, const std::string& expected, const json& got) {
  throw std::invalid_argument(path + ": expected " + expected + ", got " + Shortened(got));
}

json FloatToJson(float value) {
  if (!std::isfinite(value)) return nullptr;
  char digits[32];
  const auto written = std::to_chars(std::begin(digits), std::end(digits), value);
  double shortest = value;
  std::from_chars(digits, written.ptr, shortest);
  return static_cast<float>(shortest) == value ? shortest : double{value};
}

json UnsignedToJson(uint64_t value) {
  if (value <= kLargestExactInDouble) return value;
  return std::to_string(value);
}

int64_t IntegerFrom(const json& value, const std::string& path) {
  return IntegerBetween(value, path, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
}

void ReadJson(const json& value, const std::string& path, bool& read) {
  if (!value.is_boolean()) ThrowUnexpected(path, "true or false", value);
  read = value.get<bool>();
}

void ReadJson(const json& value, const std::string& path, int& read) {
  read =
      static_cast<int>(IntegerBetween(value, path, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

void ReadJson(const json& value, const std::string& path, uint32_t& read) {
  read = static_cast<uint32_t>(IntegerBetween(value, path, 0, std::numeric_limits<uint32_t>::max()));
}

void ReadJson(const json& value, const std::string& path, int64_t& read) { read = IntegerFrom(value, path); }

void ReadJson(const json& value, const std::string& path, uint64_t& read) {
  if (value.is_number_integer() && (value.is_number_unsigned() || value.get<int64_t>() >= 0)) {
    read = value.get<uint64_t>();
    return;
  }
  if (value.is_string()) {
    const auto& digits = value.get_ref<const std::string&>();
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), read);
    if (end.ec == std::errc() && end.ptr == digits.data() + digits.size()) return;
  }
  ThrowUnexpected(path, "an integer from 0 to 2^64 - 1, as a number or as text", value);
}

void ReadJson(const json& value, const std::string& path, float& read) {
  read = value.is_number() ? static_cast<float>(value.get<double>()) : std::numeric_limits<float>::quiet_NaN();
  if (!std::isfinite(read)) ThrowUnexpected(path, "a finite fp32 number", value);
}

void ReadJson(const json& value, const std::string& path, double& read) {
  read = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(read)) ThrowUnexpected(path, "a finite number", value);
}

void ReadJson(const json& value, const std::string& path, std::string& read) {
  if (!value.is_string()) ThrowUnexpected(path, "text", value);
  read = value.get<std::string>();
}

void ReadJson(const json& value, const std::string&, json& read) { read = value; }

const json& ExpectArray(const json& value, const std::string& path) {
  if (!value.is_array()) ThrowUnexpected(path, "an array", value);
  return value;
}

JsonFields::JsonFields(const json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) ThrowUnexpected(path_, "an object", object);
}

std::string JsonFields::PathOf(const std::string& name) const { return path_ + "." + name; }

bool JsonFields::Has(const std::string& name) const { return object_.contains(name); }

const json& JsonFields::Any(const std::string& name) {
  known_.insert(name);
  const auto field = object_.find(name);
  if (field == object_.end()) throw std::invalid_argument(PathOf(name) + ": expected this field, it is missing");
  return *field;
}

const json& JsonFields::Array(const std::string& name) { return ExpectArray(Any(name), PathOf(name)); }

int64_t JsonFields::Integer(const std::string& name, int64_t min, int64_t max) {
  return IntegerBetween(Any(name), PathOf(name), min, max);
}

void JsonFields::ExpectNoOthers() const {
  for (const auto& [name, value] : object_.items()) {
    if (!known_.contains(name)) throw std::invalid_argument(PathOf(name) + ": unknown field");
  }
}

}  // namespace zerocts
