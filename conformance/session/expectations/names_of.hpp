#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// The word of each, as settings, logs and files of expectations write it.
template <typename Item>
std::vector<std::string> NamesOf(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(ToString(item));
  return names;
}

}  // namespace zerocts
