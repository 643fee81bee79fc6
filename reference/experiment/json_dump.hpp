// JSON with text that may be of any bytes: paths of users, output of ranks.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace zerocts {

/// As Json::dump, with U+FFFD for bytes that are not UTF-8.
template <typename Json>
std::string Dumped(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Does a text survive JSON?
inline bool IsUtf8(std::string_view text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

}  // namespace zerocts
