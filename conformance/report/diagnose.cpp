#include "conformance/report/diagnose.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace zerocts {
namespace {

constexpr size_t kMostFits = 4;

/// Clauses that came to an answer.
std::set<std::string> JudgedIn(const RunView& view) {
  std::set<std::string> judged;
  for (const ClauseView& clause : view.clauses) {
    if (clause.result != Result::kNotApplicable) judged.insert(clause.id);
  }
  return judged;
}

/// Those that the run could show, with what is pooled over clauses.
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

class Weights {
 public:
  explicit Weights(const std::vector<Symptoms>& known) : known_(known.size()) {
    for (const Symptoms& symptoms : known) {
      for (const Symptom& symptom : symptoms) ++having_[symptom];
    }
  }
  double Of(const Symptom& symptom) const {
    const auto found = having_.find(symptom);
    const double having = found == having_.end() ? 1.0 : found->second;
    return std::log((static_cast<double>(known_) + 1) / having);
  }
  /// The same of all ways in which a clause can fail.
  double OfClause(const std::string& clause) const { return Of({clause, "fails", ToString(Result::kFail)}); }

 private:
  size_t known_;
  std::map<Symptom, int> having_;
};

struct Match {
  double likeness = 0;
  std::vector<Symptom> common;  // the heaviest first
};

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

/// Each clause and each wording once.
std::vector<std::string> FitsOf(const Match& match) {
  std::vector<std::string> fits;
  std::set<std::string> told;
  for (const Symptom& symptom : match.common) {
    if (fits.size() == kMostFits) break;
    if (symptom.clause.empty() && symptom.kind != "where") continue;  // it is told with its clause
    if (symptom.kind == "says" && !told.insert(symptom.word).second) continue;
    fits.push_back(ToString(symptom));
  }
  return fits;
}

std::vector<std::string> OrderOf(const Symptoms& seen, const std::vector<std::string>& expected,
                                 const Weights& weights) {
  std::set<std::string> failed;
  for (const Symptom& symptom : seen) {
    if (symptom.clause.starts_with("C-")) failed.insert(symptom.clause);
  }
  std::vector<std::string> order(failed.begin(), failed.end());
  std::ranges::stable_sort(order, std::greater(), [&](const std::string& clause) {
    return std::pair(std::ranges::count(expected, clause), weights.OfClause(clause));
  });
  return order;
}

}  // namespace

Diagnosis Diagnose(const RunView& view, const std::vector<KnownFault>& known) {
  const std::set<std::string> judged = JudgedIn(view);
  const Symptoms seen = Comparable(SymptomsOf(view), judged);
  if (seen.empty() || known.empty()) return {};
  std::vector<Symptoms> symptoms;
  for (const KnownFault& fault : known) symptoms.push_back(Comparable(fault.symptoms, judged));
  const Weights weights(symptoms);
  std::vector<std::pair<Match, const KnownFault*>> matches;
  for (size_t i = 0; i < known.size(); ++i) matches.emplace_back(Compared(seen, symptoms[i], weights), &known[i]);
  std::ranges::stable_sort(matches, std::greater(), [](const auto& match) { return match.first.likeness; });

  Diagnosis diagnosis;
  for (const auto& [match, fault] : matches) {
    if (diagnosis.candidates.size() == kMostCandidates || match.likeness < kLeastLikeness) break;
    diagnosis.candidates.push_back({fault->id, fault->title, match.likeness, FitsOf(match)});
  }
  diagnosis.order = OrderOf(
      seen, diagnosis.candidates.empty() ? std::vector<std::string>{} : matches.front().second->clauses, weights);
  return diagnosis;
}

}  // namespace zerocts
