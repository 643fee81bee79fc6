// Names for what a case can have of a dimension.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/dimensions/names_of.hpp"

namespace zerocts {

using NameOfCase = std::function<std::string(const Case&)>;
using HoldsOfTerms = std::function<bool(const RunTerms&)>;

/// "none", "one", "two", "many".
inline std::string NameOfCount(size_t count) {
  const char* const names[] = {"none", "one", "two"};
  return count < std::size(names) ? names[count] : "many";
}

/// One name, and when a run can have it; no condition: always.
struct AvailableName {
  std::string name;
  HoldsOfTerms holds = nullptr;
};

/// A fixed list of names.
inline NamedValues ValuesOf(std::vector<AvailableName> names, NameOfCase of) {
  NamedValues values;
  for (const AvailableName& available : names) values.known.push_back(available.name);
  values.of = std::move(of);
  values.available = [names = std::move(names)](const RunTerms& terms) {
    std::vector<std::string> held;
    for (const AvailableName& available : names) {
      if (!available.holds || available.holds(terms)) held.push_back(available.name);
    }
    return held;
  };
  return values;
}

/// The first can be had always, the others where `holds`.
inline NamedValues ValuesIf(const HoldsOfTerms& holds, const std::vector<std::string>& names, NameOfCase of) {
  std::vector<AvailableName> available;
  for (const std::string& name : names) available.push_back({name, available.empty() ? nullptr : holds});
  return ValuesOf(std::move(available), std::move(of));
}
inline NamedValues ValuesIf(bool Capabilities::*flag, const std::vector<std::string>& names, NameOfCase of) {
  return ValuesIf([flag](const RunTerms& terms) { return terms.can.*flag; }, names, std::move(of));
}

/// Entries of a list of the declaration.
template <typename Item, typename Of>
NamedValues ListedValues(std::vector<Item> Capabilities::*list, Of of) {
  return {.of = [of](const Case& c) { return NameOfValue(of(c)); },
          .available = [list](const RunTerms& terms) { return NamesOf(terms.can.*list); },
          .keep =
              [list](Capabilities& can, const std::vector<std::string>& kept) {
                std::erase_if(can.*list, [&](const Item& item) { return !Contains(kept, NameOfValue(item)); });
              }};
}

/// Beside what `values` has, a name that every run can have.
inline NamedValues WithAlways(const std::string& name, NamedValues values) {
  values.available = [name, available = values.available](const RunTerms& terms) {
    std::vector<std::string> names = available(terms);
    if (!Contains(names, name)) names.push_back(name);
    return names;
  };
  return values;
}

/// With an option that chooses among them.
inline NamedValues ChosenBy(const std::string& option, const std::string& meaning, std::vector<std::string> known,
                            NamedValues values) {
  values.option = option;
  values.meaning = meaning;
  values.known = std::move(known);
  return values;
}

}  // namespace zerocts
