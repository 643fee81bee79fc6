// The random cases of a stratum, one after the other. Equal arguments give equal cases.
#pragma once
#include <rapidcheck.h>

#include <cstdint>
#include <set>
#include <string>

#include "conformance/cases/draw/case_space.hpp"
#include "conformance/session/coverage/floors.hpp"

namespace zerocts {

class RandomCases {
 public:
  struct Drawn {
    rc::Shrinkable<Case> shrinkable;
    Case value;
    std::set<std::string> features;
  };

  /// `wanted`: so many more of the clause's cases must have the feature; `urgent`: those of them come first.
  RandomCases(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities, uint64_t seed,
              FeatureCounts wanted, std::set<std::string> urgent = {});

  /// The first of a few cases that has a feature that is wanted, or else the first. Throws std::logic_error when the
  /// space has none here.
  Drawn Next();

  /// What the cases so far have left.
  const FeatureCounts& wanted() const { return wanted_; }

 private:
  Drawn Draw(rc::Random& random) const;
  bool IsWanted(const Drawn& drawn) const;

  rc::Gen<Case> cases_;
  rc::Random random_;
  FeatureCounts wanted_;
  std::set<std::string> urgent_;  // all of them are wanted
};

}  // namespace zerocts
