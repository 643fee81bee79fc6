// Makes the JSON fields of a dimension from the members of Case that they stand for.
#pragma once
#include <nlohmann/json.hpp>

#include "conformance/cases/dimensions/dimension.hpp"
#include "reference/experiment/json_readers.hpp"

namespace zerocts {

inline nlohmann::json JsonOf(bool value) { return value; }
inline nlohmann::json JsonOf(int value) { return value; }
inline nlohmann::json JsonOf(uint64_t value) { return UnsignedToJson(value); }
inline nlohmann::json JsonOf(const std::string& value) { return value; }

inline void Read(JsonFields& fields, const std::string& name, bool& value) { value = fields.Bool(name); }
inline void Read(JsonFields& fields, const std::string& name, int& value) { value = fields.Int(name); }
inline void Read(JsonFields& fields, const std::string& name, uint64_t& value) { value = fields.Unsigned(name); }
inline void Read(JsonFields& fields, const std::string& name, std::string& value) { value = fields.Text(name); }

template <typename Value>
CaseField FieldOf(const std::string& name, Value Case::*member) {
  return {.name = name,
          .write = [member](const Case& c, nlohmann::json& value) { value = JsonOf(c.*member); },
          .read = [name, member](JsonFields& fields, Case& c) { Read(fields, name, c.*member); }};
}

template <typename Enum>
CaseField FieldOf(const std::string& name, Enum Case::*member, Enum (*from_string)(const std::string&)) {
  return {.name = name,
          .write = [member](const Case& c, nlohmann::json& value) { value = ToString(c.*member); },
          .read = [=](JsonFields& fields, Case& c) { c.*member = EnumFrom(fields, name, from_string); }};
}

/// May be missing, and is where it is as usual: texts of older cases, and hashes of them, stay what they are.
inline CaseField NewerField(CaseField field) {
  field.needed = false;
  return field;
}

}  // namespace zerocts
