// Readers and writers of JSON that are made of simpler ones: lists and enumerators.
#pragma once
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/experiment/json_fields.hpp"

namespace zerocts {

inline std::vector<int64_t> IntegersFrom(const nlohmann::json& array, const std::string& path) {
  std::vector<int64_t> integers;
  for (const nlohmann::json& value : array) {
    integers.push_back(IntegerFrom(value, path + "[" + std::to_string(integers.size()) + "]"));
  }
  return integers;
}

/// `read` makes an Item from an element and its path.
template <typename Item, typename Read>
std::vector<Item> ItemsFrom(JsonFields& fields, const std::string& name, Read read) {
  std::vector<Item> items;
  for (const nlohmann::json& value : fields.Array(name)) {
    items.push_back(read(value, fields.PathOf(name) + "[" + std::to_string(items.size()) + "]"));
  }
  return items;
}

/// An enum by its name. A wrong name's sentence begins with the field's name, its path completes it.
template <typename Enum>
Enum EnumFrom(JsonFields& fields, const std::string& name, Enum (*from_string)(const std::string&)) {
  const std::string text = fields.Text(name);
  try {
    return from_string(text);
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(fields.PathOf("") + wrong.what());
  }
}

template <typename Item, typename ToJsonValue>
nlohmann::json ArrayOf(const std::vector<Item>& items, ToJsonValue to_json) {
  nlohmann::json array = nlohmann::json::array();
  for (const Item& item : items) array.push_back(to_json(item));
  return array;
}

}  // namespace zerocts
