#include "conformance/cases/whole/features.hpp"

#include <algorithm>
#include <stdexcept>

#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {

std::set<std::string> FeaturesOf(const Case& c) {
  std::set<std::string> names;
  for (const Dimension& dimension : Dimensions()) {
    for (const Feature& feature : dimension.form.features) {
      if (feature.present && feature.present(c)) names.insert(feature.name);
    }
    if (dimension.form.find_together)
      dimension.form.find_together(c, [&](const std::string& name) { names.insert(name); });
  }
  return names;
}

bool HasFeature(const Case& c, const std::string& name) {
  for (const Dimension& dimension : Dimensions()) {
    const auto feature = std::ranges::find(dimension.form.features, name, &Feature::name);
    if (feature == dimension.form.features.end()) continue;
    if (feature->present) return feature->present(c);
    bool is_found = false;
    dimension.form.find_together(c, [&](const std::string& found) { is_found = is_found || found == name; });
    return is_found;
  }
  throw std::out_of_range("there is no feature '" + name + "'");
}

const std::vector<std::pair<std::string, std::string>>& FeatureMeanings() {
  static const std::vector<std::pair<std::string, std::string>> kMeanings = [] {
    std::vector<std::pair<std::string, std::string>> meanings;
    for (const Dimension& dimension : Dimensions()) {
      for (const Feature& feature : dimension.form.features) meanings.emplace_back(feature.name, feature.meaning);
    }
    return meanings;
  }();
  return kMeanings;
}

std::string WithMeaning(const std::string& feature) {
  const auto found = std::ranges::find(FeatureMeanings(), feature, &std::pair<std::string, std::string>::first);
  return feature + ": " + (found == FeatureMeanings().end() ? "not described" : found->second);
}

}  // namespace zerocts
