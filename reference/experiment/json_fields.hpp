// Strict reading of JSON objects: a field that is unknown, missing or of the wrong type is named in one sentence.
#pragma once
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

namespace zerocts {

/// The fp32 value as a JSON number whose shortest decimal text reads back to the same bits. Not for infinities and NaN
/// (they become null).
nlohmann::json FloatToJson(float value);
/// A number up to 2^53, beyond it decimal text, since many readers keep numbers as double.
nlohmann::json UnsignedToJson(uint64_t value);

/// Throws std::invalid_argument "path: expected .., got <value, shortened>".
[[noreturn]] void ThrowUnexpected(const std::string& path, const std::string& expected, const nlohmann::json& got);

/// Throw that when the value is of another type. `path` names it in the sentence.
void ReadJson(const nlohmann::json& value, const std::string& path, bool& read);
void ReadJson(const nlohmann::json& value, const std::string& path, int& read);
void ReadJson(const nlohmann::json& value, const std::string& path, uint32_t& read);
void ReadJson(const nlohmann::json& value, const std::string& path, int64_t& read);
void ReadJson(const nlohmann::json& value, const std::string& path, uint64_t& read);  // as a number or decimal text
void ReadJson(const nlohmann::json& value, const std::string& path, float& read);     // finite
void ReadJson(const nlohmann::json& value, const std::string& path, double& read);    // finite
void ReadJson(const nlohmann::json& value, const std::string& path, std::string& read);
void ReadJson(const nlohmann::json& value, const std::string& path, nlohmann::json& read);  // as it is

/// The value again.
const nlohmann::json& ExpectArray(const nlohmann::json& value, const std::string& path);

/// One object, read field by field. Every reader throws std::invalid_argument when the field is missing or not what it
/// should be.
class JsonFields {
 public:
  /// `path` names the object in sentences: "experiment.groups[1]". Throws when `object` is not an object. Keeps a
  /// reference to it.
  JsonFields(const nlohmann::json& object, std::string path);

  /// Is the field there? To be asked before reading a field that may be absent, which means its default value.
  bool Has(const std::string& name) const;

  const nlohmann::json& Any(const std::string& name);
  const nlohmann::json& Array(const std::string& name);
  int64_t Integer(const std::string& name, int64_t min = std::numeric_limits<int64_t>::min(),
                  int64_t max = std::numeric_limits<int64_t>::max());
  int Int(const std::string& name) { return Scalar<int>(name); }
  uint64_t Unsigned(const std::string& name) { return Scalar<uint64_t>(name); }
  float Float(const std::string& name) { return Scalar<float>(name); }
  bool Bool(const std::string& name) { return Scalar<bool>(name); }
  std::string Text(const std::string& name) { return Scalar<std::string>(name); }

  std::string PathOf(const std::string& name) const;

  /// To be called last: throws when the object holds a field that was not asked for.
  void ExpectNoOthers() const;

 private:
  template <typename Value>
  Value Scalar(const std::string& name) {
    Value value{};
    ReadJson(Any(name), PathOf(name), value);
    return value;
  }

  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string> known_;
};

/// An integer of an array, `path` for the sentence.
int64_t IntegerFrom(const nlohmann::json& value, const std::string& path);

/// Both ways at once: json_form.hpp.
template <typename Json>
class JsonFormOf;
using JsonForm = JsonFormOf<nlohmann::json>;
using OrderedJsonForm = JsonFormOf<nlohmann::ordered_json>;  // writes fields in the order of Describe

}  // namespace zerocts
