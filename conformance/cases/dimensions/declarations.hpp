// Words for what a subject declares, and for what a case asks beyond it.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "conformance/cases/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {

/// A demand for a flag.
inline Demand NeedsFlag(std::vector<std::string> features, const std::string& name, bool Capabilities::*flag) {
  return {std::move(features), name, [flag](const RunTerms& terms) { return terms.can.*flag; }};
}

/// A demand for an entry of a list.
template <typename Item>
Demand NeedsEntry(std::vector<std::string> features, const std::string& name, std::vector<Item> Capabilities::*list,
                  Item item) {
  return {std::move(features), name, [=](const RunTerms& terms) { return Contains(terms.can.*list, item); }};
}

inline Demand NeedsSeveralRanks(std::vector<std::string> features) {
  return {std::move(features), "more than one rank", [](const RunTerms& terms) {
            return terms.can.max_world_size > 1 && terms.ranks != 1 &&
                   std::ranges::any_of(terms.world_sizes, [](int size) { return size > 1; });
          }};
}

/// Stage 0 has no shards.
inline bool HasShardedStage(const RunTerms& terms) {
  return std::ranges::any_of(terms.can.stages, [](int stage) { return stage > 0; });
}

/// A demand for a value that the run may not leave out.
inline Demand NeedsValue(std::vector<std::string> features, const std::string& dimension, const std::string& value) {
  return {std::move(features), dimension + " " + value,
          [=](const RunTerms& terms) { return Allows(terms.aims, dimension, value); }};
}

/// Is an order declared?
inline bool HasOrder(const RunTerms& terms) { return !terms.can.reduction_orders.empty(); }
/// One that is known without a run on probe data, and for self parity one in which one rank can add as many do?
inline bool HasNamedOrder(const RunTerms& terms) {
  return terms.fidelity == Fidelity::kSelfParity ? NamesAnOrderOfOneRank(terms.can) : NamesAnOrder(terms.can);
}

inline Offer OffersFlag(const std::string& name, bool Capabilities::*flag) {
  return {name, [flag](Capabilities& can) { can.*flag = true; }};
}

/// One more entry of a list.
template <typename Item>
Offer OffersEntry(const std::string& name, std::vector<Item> Capabilities::*list, Item item) {
  return {name, [=](Capabilities& can) {
            if (!Contains(can.*list, item)) (can.*list).push_back(item);
          }};
}

template <typename Enum>
std::vector<std::string> NamesOf(const std::vector<Enum>& values) {
  std::vector<std::string> names;
  for (const Enum value : values) names.push_back(ToString(value));
  return names;
}

inline std::string NameOfValue(const std::string& value) { return value; }
inline std::string NameOfValue(int value) { return std::to_string(value); }
template <typename Enum>
std::string NameOfValue(Enum value) {
  return ToString(value);
}

/// Values that a list of the declaration offers.
template <typename Item, typename Of>
NamedValues ListedValues(std::vector<Item> Capabilities::*list, Of of) {
  return {.of = [of](const Case& c) { return NameOfValue(of(c)); },
          .offered =
              [list](const RunTerms& terms) {
                std::vector<std::string> names;
                for (const Item& item : terms.can.*list) names.push_back(NameOfValue(item));
                return names;
              },
          .keep =
              [list](Capabilities& can, const std::vector<std::string>& kept) {
                std::erase_if(can.*list, [&](const Item& item) { return !Contains(kept, NameOfValue(item)); });
              }};
}

/// With an option that chooses among them.
inline NamedValues ChosenBy(const std::string& option, const std::string& meaning, std::vector<std::string> known,
                            NamedValues values) {
  values.option = option;
  values.meaning = meaning;
  values.known = std::move(known);
  return values;
}

/// "stage 3 (declared: 0, 1)".
template <typename Item>
std::string Beyond(const std::string& what, const std::vector<Item>& declared) {
  return declared.empty() ? what + " (nothing of the kind is declared)"
                          : fmt::format("{} (declared: {})", what, fmt::join(declared, ", "));
}

/// "clip (not declared)" when it is asked for.
inline std::string Undeclared(const std::string& name, bool asked, bool declared) {
  return asked && !declared ? fmt::format("{} (not declared)", name) : "";
}

/// "offload full (declared: none)".
template <typename Enum>
std::string Unlisted(const std::string& what, Enum asked, const std::vector<Enum>& declared) {
  return Contains(declared, asked) ? "" : Beyond(what + " " + ToString(asked), NamesOf(declared));
}

inline std::string FirstOf(std::initializer_list<std::string> sentences) {
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) return sentence;
  }
  return "";
}

}  // namespace zerocts
