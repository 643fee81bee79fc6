// Words for the values of a list, as options, logs and files of expectations write them.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

inline std::string NameOfValue(const std::string& value) { return value; }
inline std::string NameOfValue(int value) { return std::to_string(value); }
template <typename Enum>
std::string NameOfValue(Enum value) {
  return ToString(value);
}

template <typename Item>
std::vector<std::string> NamesOf(const std::vector<Item>& values) {
  std::vector<std::string> names;
  for (const Item& value : values) names.push_back(NameOfValue(value));
  return names;
}

}  // namespace zerocts
