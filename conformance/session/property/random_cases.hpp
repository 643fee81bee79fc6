// The random cases of a configuration, each drawn once, when it is first asked for. Equal arguments give equal cases.
#pragma once
#include <rapidcheck.h>

#include <cstdint>
#include <deque>
#include <set>
#include <string>

#include "conformance/cases/draws/case_space.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"

namespace zerocts {

class RandomCases {
 public:
  struct Drawn {
    rc::Shrinkable<Case> shrinkable;
    Case value;
    std::set<std::string> features;
  };

  /// `wanted`: so many more of the clause's cases must have the feature; `urgent`: those of them come first.
  RandomCases(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities, uint64_t seed,
              FeatureCounts wanted, std::set<std::string> urgent = {});

  /// The first of a few cases that has a feature that is wanted, or else the first. Throws std::logic_error when the
  /// space has none here.
  const Drawn& At(size_t index);

  /// What is wanted beyond the first `count` cases, of which no more are drawn than that takes. Expects that no later
  /// one was asked for.
  const FeatureCounts& WantedAfter(size_t count);

 private:
  Drawn Next();
  Drawn Draw(rc::Random& random) const;
  bool IsWanted(const Drawn& drawn) const;

  rc::Gen<Case> cases_;
  rc::Random random_;
  FeatureCounts wanted_;
  std::set<std::string> urgent_;  // all of them are wanted
  std::deque<Drawn> drawn_;       // so far; wanted_ and urgent_ are what they left
};

}  // namespace zerocts
