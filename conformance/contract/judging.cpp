#include "conformance/contract/judging.hpp"

#include <cmath>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/check/order/order_probe.hpp"

namespace zerocts {
namespace {

ReductionOrder NamedOrderOf(const Case& c, const Observations& ranks) {
  std::vector<std::vector<std::vector<Interval>>> owned;
  for (const RankObservation& rank : ranks) owned.push_back(rank.owned);
  return OrderOf(c, owned);
}

/// The reduction order of every step; an order that has a name takes no run.
OrderProbe::Revealed OrdersOf(Trial& trial, const Case& c, const Observations& ranks) {
  if (!NeedsProbe(c)) return {{NamedOrderOf(c, ranks)}, std::nullopt};
  const OrderProbe probe(c);
  std::vector<Observations> shown;
  for (const Case& run : probe.runs()) shown.push_back(trial.Observe(run));
  return probe.Reveal(shown);
}

}  // namespace

Expected ReferenceFor(const Case& c, const Observations& ranks) { return ExpectedOf(c, NamedOrderOf(c, ranks)); }

std::optional<Finding> AgainstReference(Trial& trial, const Case& c, const Observations& ranks,
                                        const CompareOptions& options) {
  if (auto finding = CheckTiling(c, ranks)) return finding;
  const auto [orders, finding] = OrdersOf(trial, c, ranks);
  return finding ? finding : CompareWithReference(c, ranks, ExpectedOf(c, orders), options);
}

std::optional<Finding> JudgeAgainstReference(Trial& trial, const Case& c) {
  return AgainstReference(trial, c, trial.Observe(c));
}

std::optional<Finding> JudgeResharded(Trial& trial, const Case& c) {
  const RunResult shown = trial.Run(c);
  if (auto finding = AgainstReference(trial, SavingRun(c), shown.ranks)) return finding;
  auto finding = AgainstReference(trial, LoadingRun(c), shown.loading_ranks);
  if (!finding) return std::nullopt;
  finding->sentence = LoadedBy(c) + finding->sentence;
  if (finding->divergence) finding->divergence->by_loaders = true;
  return finding;
}

std::optional<Finding> SameBitsIn(Trial& trial, const Case& c, const Observations& ranks,
                                  const std::vector<Variant>& variants) {
  for (const Variant& variant : variants) {
    if (auto finding = CompareRuns(c, ranks, variant.c, trial.Observe(variant.c), variant.what_differs)) return finding;
  }
  return std::nullopt;
}

void ScaleGradients(Experiment& experiment, int exponent) {
  experiment.gradient_exponent += exponent;
  experiment.curvature = std::ldexp(experiment.curvature, exponent);
  experiment.max_norm = std::ldexp(experiment.max_norm, exponent);
  if (experiment.optimizer == OptimizerKind::kSgd) return;
  ForEachHyperParameters(experiment, [=](HyperParameters& h) { h.eps = std::ldexp(h.eps, exponent); });
}

}  // namespace zerocts
