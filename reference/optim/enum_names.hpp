// Names of enumerators: one table per enum serves both directions.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace zerocts {

template <typename Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

/// `names` holds every enumerator.
template <typename Enum, size_t count>
std::string NameOf(const EnumName<Enum> (&names)[count], Enum value) {
  for (const auto& entry : names) {
    if (entry.value == value) return std::string(entry.name);
  }
  throw std::logic_error("an enumerator without a name");
}

/// Throws std::invalid_argument: `what`, the choices, and what was got.
template <typename Enum, size_t count>
Enum FromName(const EnumName<Enum> (&names)[count], const char* what, const std::string& name) {
  std::string choices;
  for (const auto& entry : names) {
    if (entry.name == name) return entry.value;
    choices += (choices.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw std::invalid_argument(std::string(what) + ": expected one of " + choices + "; got \"" + name + "\"");
}

}  // namespace zerocts
