#include "conformance/report/diagnose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/cases/choices.hpp"

namespace zerocts {
namespace {

const std::string kWrongBy = "wrong by ";
constexpr double kShareOfNotes = 0.5;
constexpr size_t kClausesThatFit = 3, kPhasesThatFit = 1, kPlacesThatFit = 2;

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

class Weights {
 public:
  /// [known.size()] `comparable`: their symptoms.
  Weights(const std::vector<KnownFault>& known, const std::vector<Symptoms>& comparable) : known_(known.size()) {
    for (const Symptoms& symptoms : comparable) {
      for (const Symptom& symptom : symptoms) ++having_[symptom];
    }
    for (const KnownFault& fault : known) {
      unlimited_ += fault.judged.empty() ? 1 : 0;
      for (const std::string& clause : fault.judged) ++judged_[clause];
    }
  }
  double Of(const Symptom& symptom) const {
    const auto found = having_.find(symptom);
    const double having = found == having_.end() ? 1.0 : found->second;
    return std::log((static_cast<double>(Showing(symptom.clause)) + 1) / having);
  }
  /// The same of all ways in which a clause can fail.
  double OfClause(const std::string& clause) const { return Of({clause, "fails", ToString(Result::kFail)}); }

 private:
  /// How many faults could show a symptom of this clause.
  size_t Showing(const std::string& clause) const {
    if (!clause.starts_with("C-")) return known_;
    const auto judged = judged_.find(clause);
    return std::max<size_t>(unlimited_ + (judged == judged_.end() ? 0 : judged->second), 1);
  }

  size_t known_, unlimited_ = 0;
  std::map<Symptom, int> having_;
  std::map<std::string, size_t> judged_;  // clauses
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

/// Clauses with a symptom.
std::set<std::string> FailedIn(const Symptoms& symptoms) {
  std::set<std::string> failed;
  for (const Symptom& symptom : symptoms) {
    if (symptom.clause.starts_with("C-")) failed.insert(symptom.clause);
  }
  return failed;
}

std::set<std::string> AskedIn(const RunView& view) {
  std::set<std::string> asked;
  for (const ClauseView& clause : view.clauses) asked.insert(clause.id);
  return asked;
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

/// Words of this kind, each once, the heaviest first.
std::vector<std::string> CommonWords(const Match& match, const std::string& kind, size_t most) {
  std::vector<std::string> words;
  for (const Symptom& symptom : match.common) {
    if (words.size() == most) break;
    if (symptom.kind == kind && !Contains(words, symptom.word)) words.push_back(symptom.word);
  }
  return words;
}

std::vector<std::string> CommonClauses(const Match& match) {
  std::vector<std::string> clauses;
  for (const Symptom& symptom : match.common) {
    if (symptom.kind == "fails" && symptom.clause.starts_with("C-")) clauses.push_back(symptom.clause);
  }
  return clauses;
}

/// "C-ZERO-010, C-ZERO-012 and 3 more clauses fail", "in gather", "several ranks only"
std::vector<std::string> FitsOf(const Match& match) {
  std::vector<std::string> fits;
  const std::vector<std::string> clauses = CommonClauses(match);
  const size_t named = std::min(clauses.size(), kClausesThatFit), more = clauses.size() - named;
  if (named > 0)
    fits.push_back(fmt::format("{}{} fail{}", fmt::join(clauses.begin(), clauses.begin() + named, ", "),
                               more > 0 ? fmt::format(" and {} more clauses", more) : "",
                               clauses.size() > 1 ? "" : "s"));
  for (const std::string& phase : CommonWords(match, "in", kPhasesThatFit)) fits.push_back("in " + phase);
  for (const std::string& place : CommonWords(match, "where", kPlacesThatFit)) fits.push_back(place);
  return fits;
}

std::vector<const nlohmann::json*> RecordsOf(const ClauseView& clause) {
  std::vector<const nlohmann::json*> failures;
  for (const StratumView& stratum : clause.strata) {
    for (const nlohmann::json& failure : stratum.failures) failures.push_back(&failure);
  }
  return failures;
}

/// Factors that all failures of the clause have which have any: what one case cannot tell apart, another one can.
std::set<std::string> FactorsOf(const ClauseView& clause) {
  std::map<std::string, size_t> having;
  size_t with_factors = 0;
  for (const nlohmann::json* failure : RecordsOf(clause)) {
    const std::set<std::string> factors = failure->value("factors", std::set<std::string>());
    with_factors += factors.empty() ? 0 : 1;
    for (const std::string& factor : factors) ++having[factor];
  }
  std::set<std::string> of_all;
  for (const auto& [factor, count] : having) {
    if (count == with_factors) of_all.insert(kWrongBy + factor);
  }
  return of_all;
}

using ExplainedClauses = std::map<std::string, std::set<std::string>>;  // their factors, by id

ExplainedClauses ExplainedIn(const RunView& view) {
  ExplainedClauses explained;
  for (const ClauseView& clause : view.clauses) explained.emplace(clause.id, FactorsOf(clause));
  return explained;
}

/// By their words without numbers, so that those of other cases are the same.
std::map<std::string, std::string> OtherNotesOf(const ClauseView& clause) {
  std::map<std::string, std::string> notes;
  for (const nlohmann::json* failure : RecordsOf(clause)) {
    const std::string note = failure->contains("factors") ? "" : NoteIn(*failure);
    if (!note.empty()) notes.emplace(WordingOf(note), note);
  }
  return notes;
}

/// The one that most clauses have, where these are more than one and at least `share` of all that fail.
void AddMostFrequent(const std::map<std::string, SharedNote>& notes, double share, Diagnosis& diagnosis) {
  const auto most = std::ranges::max_element(notes, {}, [](const auto& note) { return note.second.clauses; });
  if (most == notes.end() || most->second.clauses < 2) return;
  if (static_cast<double>(most->second.clauses) < share * static_cast<double>(diagnosis.failing)) return;
  diagnosis.notes.push_back(most->second);
}

/// Factors say more than other notes: these count where most clauses have them.
void AddNotes(const RunView& view, const ExplainedClauses& explained, Diagnosis& diagnosis) {
  std::map<std::string, SharedNote> factors, others;
  const auto count = [](std::map<std::string, SharedNote>& notes, const std::string& key, const std::string& text) {
    ++notes.try_emplace(key, text, 0).first->second.clauses;
  };
  for (const ClauseView& clause : view.clauses) {
    diagnosis.failing += RecordsOf(clause).empty() ? 0 : 1;
    for (const std::string& factor : explained.at(clause.id)) count(factors, factor, factor);
    for (const auto& [wording, note] : OtherNotesOf(clause)) count(others, wording, note);
  }
  AddMostFrequent(factors, 0, diagnosis);
  AddMostFrequent(others, kShareOfNotes, diagnosis);
}

/// Clauses that the shared factor explains, with a failure that nothing else does.
std::set<std::string> ClearlyWrong(const RunView& view, const ExplainedClauses& explained, const Diagnosis& diagnosis) {
  std::set<std::string> clear;
  for (const ClauseView& clause : view.clauses) {
    const std::set<std::string>& factors = explained.at(clause.id);
    const bool is_shared =
        std::ranges::any_of(diagnosis.notes, [&](const SharedNote& note) { return factors.contains(note.text); });
    const bool is_clear = std::ranges::any_of(RecordsOf(clause), [](const nlohmann::json* failure) {
      return failure->value("factors", nlohmann::json::array()).size() == 1;
    });
    if (is_shared && is_clear) clear.insert(clause.id);
  }
  return clear;
}

/// What is clear comes first, then clauses that must find what this is most like, then those that few faults break.
std::vector<std::string> OrderOf(const std::set<std::string>& failed, const std::set<std::string>& clear,
                                 const std::vector<std::string>& expected, const Weights& weights) {
  std::vector<std::string> order(failed.begin(), failed.end());
  std::ranges::stable_sort(order, std::greater(), [&](const std::string& clause) {
    return std::tuple(clear.contains(clause), std::ranges::count(expected, clause), weights.OfClause(clause));
  });
  return order;
}

using Matches = std::vector<std::pair<Match, const KnownFault*>>;  // the most alike first

/// Places alone, such as the stage, make nothing alike.
bool FailsAlike(const Match& match) { return !CommonClauses(match).empty() || !CommonWords(match, "says", 1).empty(); }

/// One for each set of clauses that must find it: siblings stand beside it. Beside a good one nobody wants a bad one.
void AddCandidates(const Matches& matches, Diagnosis& diagnosis) {
  std::vector<std::vector<std::string>> clauses;  // of the candidates
  for (const auto& [match, fault] : matches) {
    if (match.likeness < std::max(kLeastLikeness, kLeastOfBest * matches.front().first.likeness)) break;
    if (!FailsAlike(match)) continue;
    const size_t place = static_cast<size_t>(std::ranges::find(clauses, fault->clauses) - clauses.begin());
    if (place < clauses.size()) {
      std::vector<std::string>& also = diagnosis.candidates[place].also;
      if (also.size() < kMostAlso) also.push_back(fault->id);
    } else if (clauses.size() < kMostCandidates) {
      clauses.push_back(fault->clauses);
      diagnosis.candidates.push_back({fault->id, fault->title, match.likeness, FitsOf(match)});
    }
  }
}

/// The failing clause that the fewest known faults break, in place of a third candidate, where none is one that it must
/// find.
void AddUnlike(const std::set<std::string>& failed, const Matches& matches, const Weights& weights,
               Diagnosis& diagnosis) {
  if (failed.empty()) return;
  const std::string& clause =
      *std::ranges::max_element(failed, {}, [&](const std::string& of) { return weights.OfClause(of); });
  const auto is_of_it = [&](const Candidate& candidate) {
    const auto match = std::ranges::find(matches, candidate.id, [](const auto& m) { return m.second->id; });
    return Contains(match->second->clauses, clause);
  };
  if (std::ranges::any_of(diagnosis.candidates, is_of_it)) return;
  diagnosis.unlike = clause;
  if (diagnosis.candidates.size() == kMostCandidates) diagnosis.candidates.pop_back();
}

}  // namespace

std::set<std::string> JudgedIn(const RunView& view) {
  std::set<std::string> judged;
  for (const ClauseView& clause : view.clauses) {
    if (clause.result != Result::kNotApplicable) judged.insert(clause.id);
  }
  return judged;
}

Diagnosis Diagnose(const RunView& view, const std::vector<KnownFault>& known) {
  const std::set<std::string> judged = JudgedIn(view);
  const Symptoms all_seen = SymptomsOf(view), seen = Comparable(all_seen, judged);
  if (seen.empty() || known.empty()) return {};
  std::vector<Symptoms> symptoms;
  for (const KnownFault& fault : known) symptoms.push_back(Comparable(fault.symptoms, judged));
  const Weights weights(known, symptoms);
  const std::set<std::string> asked = AskedIn(view), failed = FailedIn(seen);
  const std::set<std::string> factors = SharedFactorsOf(seen);
  Matches matches;
  for (size_t i = 0; i < known.size(); ++i) {
    const Symptoms comparable = Comparable(all_seen, JudgedInBoth(judged, known[i]));
    matches.emplace_back(Compared(comparable, symptoms[i], weights), &known[i]);
    if (OwnClausesPassed(known[i], asked, failed)) matches.back().first.likeness *= kOwnClausesPassed;
    if (OtherFactors(factors, SharedFactorsOf(symptoms[i]))) matches.back().first.likeness *= kOtherFactors;
  }
  std::ranges::stable_sort(matches, std::greater(), [](const auto& match) { return match.first.likeness; });

  const ExplainedClauses explained = ExplainedIn(view);
  Diagnosis diagnosis;
  AddNotes(view, explained, diagnosis);
  AddCandidates(matches, diagnosis);
  AddUnlike(failed, matches, weights, diagnosis);
  diagnosis.order =
      OrderOf(failed, ClearlyWrong(view, explained, diagnosis),
              diagnosis.candidates.empty() ? std::vector<std::string>{} : matches.front().second->clauses, weights);
  return diagnosis;
}

}  // namespace zerocts
