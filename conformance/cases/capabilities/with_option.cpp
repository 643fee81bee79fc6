#include "conformance/cases/capabilities/with_option.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "reference/experiment/json_fields.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

bool IsGiven(const std::string& option, const SubjectOptionValues& options) {
  return std::ranges::any_of(options, [&](const auto& given) { return given.first + "=" + given.second == option; });
}

}  // namespace

json WithOptions(json declared, const SubjectOptionValues& options) {
  if (!declared.is_object() || !declared.contains("with_option")) return declared;
  const json with_option = declared["with_option"];
  declared.erase("with_option");
  if (!with_option.is_object()) ThrowUnexpected("capabilities.with_option", "an object of key=value", with_option);
  for (const auto& [option, entries] : with_option.items()) {
    if (!entries.is_object()) {
      ThrowUnexpected("capabilities.with_option." + option, "an object of capabilities", entries);
    }
    if (IsGiven(option, options)) declared.update(entries);
  }
  return declared;
}

std::vector<std::string> KeysOfOptions(const json& declared) {
  std::set<std::string> keys;
  if (!declared.is_object() || !declared.contains("with_option")) return {};
  for (const auto& [option, entries] : declared["with_option"].items()) keys.insert(option.substr(0, option.find('=')));
  return {keys.begin(), keys.end()};
}

}  // namespace zerocts
