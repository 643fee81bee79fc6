// What a generator draws, for its tests.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "conformance/cases/drawing/generate.hpp"
#include "conformance/cases/whole/features.hpp"

namespace zerocts {

inline std::vector<Case> Drawn(const CaseSpace& space, const CaseConditions& conditions,
                               const Capabilities& capabilities, int count, uint64_t seed = 1) {
  const rc::Gen<Case> gen = CasesOf(space, conditions, capabilities);
  rc::Random random(seed);
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i) cases.push_back(gen(random.split(), i % 101).value());
  return cases;
}

inline std::map<std::string, int> FeatureCounts(const std::vector<Case>& cases) {
  std::map<std::string, int> counts;
  for (const Case& c : cases) {
    for (const std::string& feature : FeaturesOf(c)) ++counts[feature];
  }
  return counts;
}

}  // namespace zerocts
