// One description of a JSON object for both ways: Describe(JsonForm&, T&) names the fields of T, and the form writes or
// reads them.
#pragma once
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/experiment/json_fields.hpp"
#include "reference/experiment/json_readers.hpp"

namespace zerocts {

/// How a field is written and read may be said behind its value: the bounds of an integer, the function that reads the
/// name of an enumerator, or a function each that writes and reads.
struct Bounds {
  int64_t min = std::numeric_limits<int64_t>::min(), max = std::numeric_limits<int64_t>::max();
};

template <typename Json, typename Value>
void WriteJson(Json& json, const Value& value) {
  json = value;
}
template <typename Json>
void WriteJson(Json& json, float value) {
  json = FloatToJson(value);
}
template <typename Json>
void WriteJson(Json& json, uint64_t value) {
  json = UnsignedToJson(value);
}

/// The fields of one object. Reading throws as JsonFields does; writing changes no value.
template <typename Json>
class JsonFormOf {
 public:
  template <typename Value>
  static Json ToJson(const Value& value) {
    Json json;
    Write(json, value);
    return json;
  }

  /// `path` names the object in sentences.
  template <typename Value>
  static Value From(const nlohmann::json& json, const std::string& path) {
    Value value{};
    ReadValue(json, path, value);
    return value;
  }

  explicit JsonFormOf(Json& written) : written_(&written) {}
  explicit JsonFormOf(JsonFields& read) : read_(&read) {}

  /// The object that is read; nullptr: the form writes.
  JsonFields* read() const { return read_; }

  /// Is the field read, or else written?
  bool Has(const std::string& name, bool written) const { return read_ ? read_->Has(name) : written; }

  /// Must be there.
  template <typename Value, typename... How>
  void Field(const std::string& name, Value& value, How... how) {
    if (read_) {
      Read(name, value, how...);
    } else {
      Write((*written_)[name], value, how...);
    }
  }

  /// A name and a value, a name and a value, ..: each must be there.
  template <typename Value, typename... Others>
  void Fields(const char* name, Value& value, Others&&... others) {
    Field(name, value);
    if constexpr (sizeof...(others) > 0) Fields(others...);
  }

  /// Is always written, and may be missing: then the value stays.
  template <typename Value, typename... How>
  void Newer(const std::string& name, Value& value, How... how) {
    if (Has(name, true)) Field(name, value, how...);
  }

  /// Is written where it is not as usual, and may be missing where it is: older texts, and hashes of them, stay.
  template <typename Value, typename... How>
  void Unusual(const std::string& name, Value& value, const std::type_identity_t<Value>& usual = {}, How... how) {
    if (Has(name, value != usual)) {
      Field(name, value, how...);
    } else if (read_) {
      value = usual;
    }
  }
  template <typename Value, typename... How>
  void Unusual(const std::string& name, std::optional<Value>& value, How... how) {
    if (!Has(name, value.has_value())) return;
    if (read_) value.emplace();
    Field(name, *value, how...);
  }

  /// What else must hold of a field that was read.
  void Expect(const std::string& name, bool holds, const std::string& expected) const {
    if (read_ && !holds) ThrowUnexpected(read_->PathOf(name), expected, read_->Any(name));
  }

 private:
  template <typename Value>
  static constexpr bool kIsDescribed = requires(JsonFormOf& form, Value& value) {
    Describe(form, value);
  };

  template <typename Value>
  static void Write(Json& json, const Value& value) {
    if constexpr (kIsDescribed<Value>) {
      json = Json::object();
      JsonFormOf form(json);
      Describe(form, const_cast<Value&>(value));
    } else {
      WriteJson(json, value);
    }
  }
  template <typename Value>
  static void Write(Json& json, const std::vector<Value>& values) {
    json = Json::array();
    for (const Value& value : values) Write(json.emplace_back(), value);
  }
  template <typename Value>
  static void Write(Json& json, const std::optional<Value>& value) {
    if (value) Write(json, *value);
  }
  template <typename Integer>
  static void Write(Json& json, Integer value, Bounds) {
    json = value;
  }
  template <typename Enum>
  static void Write(Json& json, Enum value, Enum (*)(const std::string&)) {
    json = ToString(value);
  }
  template <typename Value, typename ToJsonValue, typename FromJsonValue>
  static void Write(Json& json, const Value& value, ToJsonValue to_json, FromJsonValue) {
    json = to_json(value);
  }

  template <typename Value>
  static void ReadValue(const nlohmann::json& json, const std::string& path, Value& value) {
    if constexpr (kIsDescribed<Value>) {
      JsonFields fields(json, path);
      JsonFormOf form(fields);
      Describe(form, value);
      fields.ExpectNoOthers();
    } else {
      ReadJson(json, path, value);
    }
  }
  template <typename Value>
  static void ReadValue(const nlohmann::json& json, const std::string& path, std::vector<Value>& values) {
    if constexpr (std::is_integral_v<Value>) {
      values = IntegersFrom<Value>(ExpectArray(json, path), path);
      return;
    }
    values.clear();
    for (const nlohmann::json& item : ExpectArray(json, path)) {
      const std::string path_of_item = path + "[" + std::to_string(values.size()) + "]";
      ReadValue(item, path_of_item, values.emplace_back());
    }
  }
  template <typename Value>
  static void ReadValue(const nlohmann::json& json, const std::string& path, std::optional<Value>& value) {
    value.reset();
    if (!json.is_null()) ReadValue(json, path, value.emplace());
  }

  template <typename Value>
  void Read(const std::string& name, Value& value) {
    ReadValue(read_->Any(name), read_->PathOf(name), value);
  }
  template <typename Integer>
  void Read(const std::string& name, Integer& value, Bounds bounds) {
    value = static_cast<Integer>(read_->Integer(name, bounds.min, bounds.max));
  }
  template <typename Enum>
  void Read(const std::string& name, Enum& value, Enum (*from_string)(const std::string&)) {
    value = EnumFrom(*read_, name, from_string);
  }
  template <typename Value, typename ToJsonValue, typename FromJsonValue>
  void Read(const std::string& name, Value& value, ToJsonValue, FromJsonValue from_json) {
    value = from_json(read_->Any(name), read_->PathOf(name));
  }

  Json* written_ = nullptr;
  JsonFields* read_ = nullptr;
};

}  // namespace zerocts
