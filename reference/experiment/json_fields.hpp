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
  int Int(const std::string& name);            // an integer that fits int
  uint64_t Unsigned(const std::string& name);  // a number or decimal text, 0 to 2^64 - 1
  float Float(const std::string& name);        // finite
  bool Bool(const std::string& name);
  std::string Text(const std::string& name);

  std::string PathOf(const std::string& name) const;

  /// To be called last: throws when the object holds a field that was not asked for.
  void ExpectNoOthers() const;

 private:
  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string> known_;
};

/// Throws std::invalid_argument "path: expected .., got <value, shortened>".
[[noreturn]] void ThrowUnexpected(const std::string& path, const std::string& expected, const nlohmann::json& got);

/// An integer of an array, `path` for the sentence.
int64_t IntegerFrom(const nlohmann::json& value, const std::string& path);

}  // namespace zerocts
