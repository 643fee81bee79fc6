#include "conformance/report/diagnosis/unexplained.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "conformance/report/diagnosis/circumstances.hpp"

namespace zerocts {
namespace {

/// How probable it is that the clause fails where the fault is one of the candidates: the share of these, by their
/// likeness, in which it failed. That of all known faults counts as one more that is wholly alike.
double ProbabilityUnder(const std::vector<const Match*>& candidates, const std::string& clause,
                        const Weights& weights) {
  double failing = weights.ShareFound(clause), all = 1;
  for (const Match* match : candidates) {
    const KnownFault& fault = *match->fault;
    if (!fault.judged.empty() && !fault.judged.contains(clause)) continue;
    all += match->likeness;
    if (FailedIn(fault.symptoms).contains(clause)) failing += match->likeness;
  }
  return failing / all;
}

/// What the clause is about, as the log says.
std::set<std::string> EssentialOf(const ClauseView& clause) {
  std::set<std::string> essential;
  if (!clause.asked) return essential;
  for (const std::vector<std::string>& one_of : clause.asked->essential) essential.insert(one_of.begin(), one_of.end());
  return essential;
}

/// Maps each clause that is about a circumstance of the failures to 1 / the number of clauses that are about it too,
/// for the circumstance that fewest are about.
std::map<std::string, double> PointedAt(const RunView& view) {
  std::map<std::string, double> pointed;
  for (const Circumstance& circumstance : CircumstancesOf(view)) {
    if (!circumstance.present) continue;
    std::vector<std::string> about;
    for (const ClauseView& clause : view.clauses) {
      if (EssentialOf(clause).contains(circumstance.feature)) about.push_back(clause.id);
    }
    for (const std::string& clause : about)
      pointed[clause] = std::max(pointed[clause], 1 / static_cast<double>(about.size()));
  }
  return pointed;
}

}  // namespace

std::vector<std::string> LeastExplainedFirst(const RunView& view, const Comparison& comparison,
                                             const std::vector<const Match*>& candidates) {
  std::map<std::string, double> pointed = PointedAt(view);
  std::vector<std::string> clauses(comparison.failed.begin(), comparison.failed.end());
  std::ranges::stable_sort(clauses, {}, [&](const std::string& clause) {
    return std::pair(-pointed[clause], ProbabilityUnder(candidates, clause, comparison.weights));
  });
  return clauses;
}

}  // namespace zerocts
