#include "conformance/cases/aim_options.hpp"

#include <algorithm>
#include <stdexcept>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/strategies.hpp"

namespace zerocts {
namespace {

constexpr const char* kStrategy = "strategy";

const Dimension& ChosenBy(const std::string& option) {
  const auto found =
      std::ranges::find_if(Dimensions(), [&](const Dimension& dimension) { return dimension.values.option == option; });
  if (found == Dimensions().end()) throw std::out_of_range("no dimension is chosen by the option '" + option + "'");
  return *found;
}

std::vector<AimOption> AllOptions() {
  std::vector<AimOption> options = {{kStrategy, "Stage and mesh by a name of FSDP", StrategyNames(), false}};
  for (const Dimension& dimension : Dimensions()) {
    const NamedValues& values = dimension.values;
    if (!values.option.empty()) options.push_back({values.option, values.meaning, values.known});
  }
  return options;
}

}  // namespace

const std::vector<AimOption>& AimOptions() {
  static const std::vector<AimOption> kOptions = AllOptions();
  return kOptions;
}

std::vector<std::string> OfferedWords(const std::string& option, const RunTerms& terms) {
  return option == kStrategy ? OfferedStrategies(terms) : ChosenBy(option).values.offered(terms);
}

Aim AimOf(const std::string& option, const std::vector<std::string>& words, const RunTerms& terms) {
  if (option == kStrategy) return {option, words, HoldsOfStrategy(words.front(), terms)};
  return {option, words, {{ChosenBy(option).name, words}}};
}

}  // namespace zerocts
