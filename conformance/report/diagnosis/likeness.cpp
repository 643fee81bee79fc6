#include "conformance/report/diagnosis/likeness.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace zerocts {
namespace {

std::set<std::string> JudgedInBoth(const std::set<std::string>& run, const KnownFault& fault) {
  if (fault.judged.empty()) return run;
  std::set<std::string> both;
  std::ranges::set_intersection(run, fault.judged, std::inserter(both, both.end()));
  return both;
}

/// Those that such a run could show, with what is pooled over clauses.
Symptoms Comparable(const Symptoms& symptoms, const std::set<std::string>& judged) {
  Symptoms comparable;
  for (const Symptom& symptom : symptoms) {
    const bool of_clause = symptom.clause.starts_with("C-");
    if (of_clause && !judged.contains(symptom.clause)) continue;
    comparable.insert(symptom);
    if (of_clause && symptom.kind != "fails") comparable.insert({"", symptom.kind, symptom.word});
  }
  return comparable;
}

Match Compared(const Symptoms& a, const Symptoms& b, const Weights& weights) {
  Match match;
  double common = 0, all = 0;
  for (const Symptom& symptom : a) {
    all += weights.Of(symptom);
    if (!b.contains(symptom)) continue;
    common += weights.Of(symptom);
    match.common.push_back(symptom);
  }
  for (const Symptom& symptom : b) all += a.contains(symptom) ? 0 : weights.Of(symptom);
  match.likeness = all > 0 ? common / all : 0;
  std::ranges::stable_sort(match.common, std::greater(), [&](const Symptom& s) { return weights.Of(s); });
  return match;
}

std::set<std::string> AskedIn(const RunView& view) {
  std::set<std::string> asked;
  for (const ClauseView& clause : view.clauses) asked.insert(clause.id);
  return asked;
}

/// Can the subject have it: was one of the clauses judged that must find it?
bool IsOfJudged(const KnownFault& fault, const std::set<std::string>& judged) {
  return std::ranges::any_of(fault.clauses, [&](const std::string& clause) { return judged.contains(clause); });
}

/// Was one of a fault's own clauses asked, and did none of them fail?
bool OwnClausesPassed(const KnownFault& fault, const std::set<std::string>& asked,
                      const std::set<std::string>& failed) {
  const auto is_in = [](const std::set<std::string>& clauses) {
    return [&clauses](const std::string& clause) { return clauses.contains(clause); };
  };
  return std::ranges::any_of(fault.clauses, is_in(asked)) && std::ranges::none_of(fault.clauses, is_in(failed));
}

/// Factors that at least half of the failing clauses may be wrong by.
std::set<std::string> SharedFactorsOf(const Symptoms& symptoms) {
  std::map<std::string, size_t> clauses;
  for (const Symptom& symptom : symptoms) {
    if (symptom.kind == "factor" && symptom.clause.starts_with("C-")) ++clauses[symptom.word];
  }
  const size_t failing = FailedIn(symptoms).size();
  std::set<std::string> shared;
  for (const auto& [factor, count] : clauses) {
    if (count > 1 && 2 * count >= failing) shared.insert(factor);
  }
  return shared;
}

/// What most failures are wrong by says more of the cause than which clauses fail.
bool OtherFactors(const std::set<std::string>& a, const std::set<std::string>& b) {
  return a.empty() != b.empty() ||
         (!a.empty() && std::ranges::none_of(a, [&](const std::string& factor) { return b.contains(factor); }));
}

}  // namespace

std::set<std::string> JudgedIn(const RunView& view) {
  std::set<std::string> judged;
  for (const ClauseView& clause : view.clauses) {
    if (IsAsked(clause.result)) judged.insert(clause.id);
  }
  return judged;
}

std::set<std::string> FailedIn(const Symptoms& symptoms) {
  std::set<std::string> failed;
  for (const Symptom& symptom : symptoms) {
    if (symptom.clause.starts_with("C-")) failed.insert(symptom.clause);
  }
  return failed;
}

Weights::Weights(const std::vector<KnownFault>& known, const std::vector<Symptoms>& comparable) : known_(known.size()) {
  for (const Symptoms& symptoms : comparable) {
    for (const Symptom& symptom : symptoms) ++having_[symptom];
    for (const std::string& clause : FailedIn(symptoms)) ++found_[clause];
  }
  for (const KnownFault& fault : known) {
    unlimited_ += fault.judged.empty() ? 1 : 0;
    for (const std::string& clause : fault.judged) ++judged_[clause];
  }
}

double Weights::Of(const Symptom& symptom) const {
  const bool of_clause_or_factor = symptom.kind == "fails" || symptom.kind == "factor";
  return (of_clause_or_factor ? kOfClausesAndFactors : 1) * std::log((Showing(symptom.clause) + 1) / Having(symptom));
}

double Weights::ShareFound(const std::string& clause) const {
  const auto found = found_.find(clause);
  return found == found_.end() ? 0 : static_cast<double>(found->second) / Showing(clause);
}

double Weights::Having(const Symptom& symptom) const {
  const auto found = having_.find(symptom);
  return found == having_.end() ? 1 : found->second;
}

double Weights::Showing(const std::string& clause) const {
  if (!clause.starts_with("C-")) return static_cast<double>(known_);
  const auto judged = judged_.find(clause);
  return static_cast<double>(std::max<size_t>(unlimited_ + (judged == judged_.end() ? 0 : judged->second), 1));
}

Comparison Compare(const RunView& view, const std::vector<KnownFault>& known) {
  const std::set<std::string> judged = JudgedIn(view), asked = AskedIn(view);
  const Symptoms all_seen = SymptomsOf(view), seen = Comparable(all_seen, judged);
  std::vector<Symptoms> symptoms;
  for (const KnownFault& fault : known) symptoms.push_back(Comparable(fault.symptoms, judged));
  Comparison comparison{FailedIn(seen), Weights(known, symptoms), {}};
  const std::set<std::string> factors = SharedFactorsOf(seen);
  for (size_t i = 0; i < known.size(); ++i) {
    const Symptoms comparable = Comparable(all_seen, JudgedInBoth(judged, known[i]));
    Match match = Compared(comparable, symptoms[i], comparison.weights);
    match.fault = &known[i];
    if (!IsOfJudged(known[i], judged)) match.likeness = 0;
    if (OwnClausesPassed(known[i], asked, comparison.failed)) match.likeness *= kOwnClausesPassed;
    if (OtherFactors(factors, SharedFactorsOf(symptoms[i]))) match.likeness *= kOtherFactors;
    comparison.matches.push_back(std::move(match));
  }
  std::ranges::stable_sort(comparison.matches, std::greater(), &Match::likeness);
  return comparison;
}

}  // namespace zerocts
