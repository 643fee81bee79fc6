#include "conformance/contract/judging.hpp"

#include <cmath>

namespace zerocts {

Observations Observe(const Stratum& stratum, const Case& c) { return Session::Get().Observe(stratum, c); }

Expected ReferenceFor(const Case& c, const Observations& ranks) {
  std::vector<std::vector<std::vector<Interval>>> owned;
  for (const RankObservation& rank : ranks) owned.push_back(rank.owned);
  return ExpectedOf(c, OrderOf(c, owned));
}

std::optional<Finding> AgainstReference(const Case& c, const Observations& ranks, const CompareOptions& options) {
  if (auto finding = CheckTiling(c, ranks)) return finding;
  return CompareWithReference(c, ranks, ReferenceFor(c, ranks), options);
}

std::optional<Finding> SameBitsIn(const Stratum& stratum, const Case& c, const Observations& ranks,
                                  const std::vector<Variant>& variants) {
  for (const Variant& variant : variants) {
    if (auto finding = CompareRuns(c, ranks, variant.c, Observe(stratum, variant.c), variant.what_differs))
      return finding;
  }
  return std::nullopt;
}

std::vector<Variant> SchedulesOf(const Case& c) {
  const Capabilities& can = Session::Get().capabilities();
  std::vector<Variant> variants;
  for (const Overlap overlap : {Overlap::kOff, Overlap::kOn}) {
    if (can.overlap && overlap != c.overlap)
      variants.emplace_back("overlap, " + ToString(overlap), c).c.overlap = overlap;
  }
  for (const Offload offload : can.offload) {
    if (offload != c.offload) variants.emplace_back("offload, " + ToString(offload), c).c.offload = offload;
  }
  return variants;
}

void ForEachHyperParameters(Experiment& experiment, const std::function<void(HyperParameters&)>& change) {
  for (HyperParameters& group : experiment.groups) change(group);
  for (HyperParameterChange& later : experiment.changes) change(later.values);
}

void ScaleGradients(Experiment& experiment, int exponent) {
  experiment.gradient_exponent += exponent;
  experiment.max_norm = std::ldexp(experiment.max_norm, exponent);
}

}  // namespace zerocts
