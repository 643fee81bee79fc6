// Features of a case, by which coverage minimums are counted.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// Names of the features that this case has, of those in FeatureMeanings().
std::set<std::string> FeaturesOf(const Case& c);
/// Has it this one? Throws std::out_of_range for a name that no feature has.
bool HasFeature(const Case& c, const std::string& name);

/// Every feature of every dimension (dimensions/) and what it means, for `zerocts explain`.
const std::vector<std::pair<std::string, std::string>>& FeatureMeanings();
/// "several_ranks: two ranks or more".
std::string WithMeaning(const std::string& feature);

}  // namespace zerocts
