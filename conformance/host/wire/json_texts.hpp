// Lists of text in a header.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/experiment/json_fields.hpp"

namespace zerocts {

inline std::vector<std::string> TextsFrom(JsonFields& fields, const std::string& name) {
  std::vector<std::string> texts;
  for (const nlohmann::json& value : fields.Array(name)) {
    if (!value.is_string()) ThrowUnexpected(fields.PathOf(name), "texts", value);
    texts.push_back(value);
  }
  return texts;
}

}  // namespace zerocts
