// Readers and writers of JSON that are made of simpler ones: lists and enumerators.
#pragma once
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "reference/experiment/json_fields.hpp"

namespace zerocts {

/// Makes the path of an integer only where a sentence needs it: there may be millions.
template <typename Integer = int64_t>
std::vector<Integer> IntegersFrom(const nlohmann::json& array, const std::string& path) {
  const auto fits = [](const nlohmann::json& value) {
    return value.is_number_unsigned() ? std::in_range<Integer>(value.get<uint64_t>())
                                      : value.is_number_integer() && std::in_range<Integer>(value.get<int64_t>());
  };
  std::vector<Integer> integers;
  integers.reserve(array.size());
  for (const nlohmann::json& value : array) {
    Integer& integer = integers.emplace_back();
    if (fits(value)) {
      integer = value.get<Integer>();
    } else {
      ReadJson(value, path + "[" + std::to_string(integers.size() - 1) + "]", integer);
    }
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
