#include "conformance/session/coverage/coverage_minimums.hpp"

#include <algorithm>
#include <set>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/drawing/constraint_options.hpp"

namespace zerocts {
namespace {

/// What is declared for the run: without orders where none holds for a precision of it.
Capabilities DeclaredFor(const SessionSettings& settings) {
  const Capabilities& can = settings.info.capabilities;
  for (const Precision precision : Common(settings.precisions, can.param_dtypes)) {
    if (Contains(can.ordered_dtypes, precision)) return can;
  }
  Capabilities without = can;
  without.reduction_orders.clear();
  return without;
}

}  // namespace

int64_t CoverageMinimumOf(const std::string& feature, int64_t cases) {
  return IsCostly(feature) ? 1 : std::max<int64_t>(1, (cases + 19) / 20);
}

RunTerms TermsOf(const SessionSettings& settings, Fidelity fidelity) {
  return {.can = DeclaredFor(settings),
          .fidelity = fidelity,
          .world_sizes = settings.world_sizes,
          .precisions = settings.precisions,
          .small = settings.largest_size == 0};
}

std::string MissingFor(const std::string& feature, const SessionSettings& settings, Fidelity fidelity, int ranks) {
  const auto missing = [&](const Constraints& constraints) {
    RunTerms terms = TermsOf(settings, fidelity);
    terms.ranks = ranks;
    terms.can = Narrowed(terms.can, constraints);
    terms.constraints = constraints;
    return MissingFor(feature, terms);
  };
  if (std::string of_subject = missing({}); !of_subject.empty()) return of_subject;
  if (missing(settings.constraints).empty()) return "";
  return "needs: " + RunWithout(settings.constraints, [&](const Constraints& one) { return !missing(one).empty(); });
}

std::set<std::string> ShownBy(const Clause& clause, Precision precision, const SessionSettings& settings, int ranks) {
  SessionSettings of_precision = settings;
  of_precision.precisions = {precision};
  std::set<std::string> features(clause.features.begin(), clause.features.end());
  std::erase_if(features, [&](const std::string& feature) {
    return !MissingFor(feature, of_precision, FidelityFor(clause, settings.info.capabilities), ranks).empty();
  });
  return features;
}

std::vector<std::set<std::string>> LastShown(const Clause& clause, const std::vector<Precision>& precisions,
                                             const SessionSettings& settings) {
  std::map<Precision, std::set<std::string>> shown;
  for (const Precision precision : precisions) {
    if (!shown.contains(precision)) shown[precision] = ShownBy(clause, precision, settings);
  }
  std::vector<std::set<std::string>> last(precisions.size());
  std::set<std::string> later;
  for (size_t i = precisions.size(); i-- > 0;) {
    const std::set<std::string>& here = shown[precisions[i]];
    std::ranges::set_difference(here, later, std::inserter(last[i], last[i].end()));
    later.insert(here.begin(), here.end());
  }
  return last;
}

FeatureCounts CoverageMinimums::Wanted() const {
  FeatureCounts wanted;
  for (const MinimumCount& minimum : counts) {
    if (minimum.count < minimum.needed) wanted[minimum.feature] = minimum.needed - minimum.count;
  }
  return wanted;
}

CoverageMinimums CoverageMinimumsOf(const Clause& clause, const FeatureCounts& features, int64_t cases,
                                    const SessionSettings& settings) {
  const Fidelity fidelity = FidelityFor(clause, settings.info.capabilities);
  CoverageMinimums minimums;
  for (const std::string& feature : clause.features) {
    if (const std::string missing = MissingFor(feature, settings, fidelity); !missing.empty()) {
      minimums.needs.push_back(feature + " " + missing);
      continue;
    }
    const auto found = features.find(feature);
    minimums.counts.push_back(
        {feature, found == features.end() ? 0 : found->second, CoverageMinimumOf(feature, cases)});
  }
  return minimums;
}

}  // namespace zerocts
