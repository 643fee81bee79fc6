#include "conformance/report/diagnosis/diagnose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/report/diagnosis/circumstances.hpp"
#include "conformance/report/diagnosis/likeness.hpp"
#include "conformance/report/diagnosis/shared_end.hpp"

namespace zerocts {
namespace {

const std::string kWrongBy = "wrong by ", kAsIf = "as if ", kQuadratic = "the loss is quadratic", kBounded = "exact ";
constexpr double kShareOfNotes = 0.5, kShareOfCauses = 0.15;
constexpr double kSurelyNoChance = 0.001;
constexpr size_t kMostCauses = 2;
constexpr size_t kClausesThatFit = 3, kPhasesThatFit = 1, kWhereThatFit = 2;

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
  for (const std::string& where : CommonWords(match, "where", kWhereThatFit)) fits.push_back(where);
  return fits;
}

/// Factors that all failures of the clause have which have any: what one case cannot tell apart, another one can.
std::set<std::string> FactorsOf(const ClauseView& clause) {
  std::map<std::string, size_t> having;
  size_t with_factors = 0;
  for (const nlohmann::json* failure : clause.failures()) {
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

/// By their words without numbers and names.
using Texts = std::map<std::string, std::string>;

/// Causes that all failures of the clause have which have any.
Texts CausesOf(const ClauseView& clause) {
  std::map<std::string, size_t> having;
  Texts causes;
  size_t with_causes = 0;
  for (const nlohmann::json* failure : clause.failures()) {
    Texts of_failure;
    for (const auto& cause : failure->value("causes", std::vector<std::string>()))
      of_failure.emplace(WordingOf(cause), cause);
    with_causes += of_failure.empty() ? 0 : 1;
    for (const auto& [wording, cause] : of_failure) ++having[wording];
    causes.merge(of_failure);
  }
  std::erase_if(causes, [&](const auto& cause) { return having[cause.first] < with_causes; });
  return causes;
}

using ExplainedClauses = std::map<std::string, std::set<std::string>>;  // their factors, by id

ExplainedClauses ExplainedIn(const RunView& view) {
  ExplainedClauses explained;
  for (const ClauseView& clause : view.clauses) explained.emplace(clause.id, FactorsOf(clause));
  return explained;
}

/// Not that a loss is quadratic, which is said where nothing else can be, and not how far beyond a bound a value is.
Texts OtherNotesOf(const ClauseView& clause) {
  Texts notes;
  for (const nlohmann::json* failure : clause.failures()) {
    const std::string note = failure->contains("factors") ? "" : NoteIn(*failure);
    if (note.empty() || note.starts_with(kQuadratic) || note.starts_with(kBounded)) continue;
    notes.emplace(WordingOf(note), note);
  }
  return notes;
}

/// Those that most clauses have.
void AddCauses(const RunView& view, Diagnosis& diagnosis) {
  std::map<std::string, SharedNote> causes;
  for (const ClauseView& clause : view.clauses) {
    for (const auto& [wording, cause] : CausesOf(clause))
      ++causes.try_emplace(wording, kAsIf + cause, 0).first->second.clauses;
  }
  std::vector<SharedNote> found;
  for (const auto& [wording, cause] : causes) found.push_back(cause);
  std::ranges::stable_sort(found, std::greater(), &SharedNote::clauses);
  for (const SharedNote& cause : found) {
    const bool is_rare = static_cast<double>(cause.clauses) < kShareOfCauses * static_cast<double>(diagnosis.failing);
    const bool is_alone = cause.clauses == 1 && diagnosis.failing > 2;
    if (is_rare || is_alone || cause.clauses < found.front().clauses || diagnosis.notes.size() == kMostCauses) break;
    diagnosis.notes.push_back(cause);
  }
}

/// "wrong by 2: counted twice" says less than "wrong by R: not divided by the number of replicas".
bool IsNumber(const SharedNote& note) {
  return note.text.starts_with(kWrongBy) && std::isdigit(static_cast<unsigned char>(note.text[kWrongBy.size()])) != 0;
}

/// Those that most clauses have, where these are more than one and at least `share` of all that fail.
void AddMostFrequent(const std::map<std::string, SharedNote>& notes, double share, Diagnosis& diagnosis) {
  std::vector<SharedNote> found;
  for (const auto& [wording, note] : notes) found.push_back(note);
  std::ranges::stable_sort(found, {}, [](const SharedNote& note) { return std::pair(-note.clauses, IsNumber(note)); });
  const size_t before = diagnosis.notes.size();
  for (const SharedNote& note : found) {
    const bool is_rare = static_cast<double>(note.clauses) < share * static_cast<double>(diagnosis.failing);
    const bool is_weaker = note.clauses < found.front().clauses || (IsNumber(note) && !IsNumber(found.front()));
    if (note.clauses < 2 || is_rare || is_weaker || diagnosis.notes.size() == before + kMostCauses) break;
    diagnosis.notes.push_back(note);
  }
}

/// In small cases another mistake may have the same values: what explains less than half of the clauses, where one
/// factor explains more than half, is none.
bool IsChance(const std::map<std::string, SharedNote>& factors, const Diagnosis& diagnosis) {
  const double half = kShareOfNotes * static_cast<double>(diagnosis.failing);
  const auto explains_most = [half](const SharedNote& note) { return static_cast<double>(note.clauses) > half; };
  if (diagnosis.notes.empty() || static_cast<double>(diagnosis.notes.front().clauses) >= half) return false;
  return std::ranges::any_of(factors, explains_most, [](const auto& factor) { return factor.second; });
}

/// A cause says more than a factor, and that more than other notes.
void AddNotes(const RunView& view, const ExplainedClauses& explained, Diagnosis& diagnosis) {
  std::map<std::string, SharedNote> factors, others;
  const auto count = [](std::map<std::string, SharedNote>& notes, const std::string& key, const std::string& text) {
    ++notes.try_emplace(key, text, 0).first->second.clauses;
  };
  for (const ClauseView& clause : view.clauses) {
    diagnosis.failing += clause.failures().empty() ? 0 : 1;
    for (const std::string& factor : explained.at(clause.id)) count(factors, factor, factor);
    for (const auto& [wording, note] : OtherNotesOf(clause)) count(others, wording, note);
  }
  AddCauses(view, diagnosis);
  if (IsChance(factors, diagnosis)) diagnosis.notes.clear();
  if (!diagnosis.notes.empty()) return;
  AddMostFrequent(factors, kShareOfNotes, diagnosis);
  AddMostFrequent(others, kShareOfNotes, diagnosis);
}

/// What all failing cases have and hardly have by chance, the surest.
void AddCircumstance(const RunView& view, Diagnosis& diagnosis) {
  if (diagnosis.failing < 2) return;
  for (const Circumstance& circumstance : CircumstancesOf(view)) {
    if (!circumstance.present || circumstance.chance > kSurelyNoChance) continue;
    diagnosis.notes.push_back({"every failing case has " + WithMeaning(circumstance.feature), diagnosis.failing});
    return;
  }
}

/// Clauses that the shared factor explains, with a failure that nothing else does.
std::set<std::string> ClearlyWrong(const RunView& view, const ExplainedClauses& explained, const Diagnosis& diagnosis) {
  std::set<std::string> clear;
  for (const ClauseView& clause : view.clauses) {
    const std::set<std::string>& factors = explained.at(clause.id);
    const bool is_shared =
        std::ranges::any_of(diagnosis.notes, [&](const SharedNote& note) { return factors.contains(note.text); });
    const Texts causes = CausesOf(clause);
    const bool has_cause = std::ranges::any_of(diagnosis.notes, [&](const SharedNote& note) {
      return note.text.starts_with(kAsIf) && causes.contains(WordingOf(note.text.substr(kAsIf.size())));
    });
    if (has_cause) clear.insert(clause.id);
    const bool is_clear = std::ranges::any_of(clause.failures(), [](const nlohmann::json* failure) {
      return failure->value("factors", nlohmann::json::array()).size() == 1;
    });
    if (is_shared && is_clear) clear.insert(clause.id);
  }
  return clear;
}

constexpr const char* kRefusal = "refusal";        // a family that says nothing of what the subject computes
constexpr const char* kCheckpoint = "checkpoint";  // one whose cases need much else that is right

std::set<std::string> ClausesOf(const RunView& view, const std::string& family) {
  std::set<std::string> clauses;
  for (const ClauseView& clause : view.clauses)
    if (clause.family == family) clauses.insert(clause.id);
  return clauses;
}

/// What is clear comes first, of it what needs no checkpoint, then clauses that must find what this is most like, then
/// those that few faults break; what is not refused comes last.
std::vector<std::string> OrderOf(const RunView& view, const std::set<std::string>& failed,
                                 const std::set<std::string>& clear, const std::vector<std::string>& expected,
                                 const Weights& weights) {
  const std::set<std::string> refusal = ClausesOf(view, kRefusal), checkpoint = ClausesOf(view, kCheckpoint);
  std::vector<std::string> order(failed.begin(), failed.end());
  std::ranges::stable_sort(order, std::greater(), [&](const std::string& clause) {
    const bool is_clear = clear.contains(clause);
    return std::tuple(!refusal.contains(clause), is_clear, is_clear && !checkpoint.contains(clause),
                      std::ranges::count(expected, clause), -weights.ShareFound(clause));
  });
  return order;
}

/// Where a fault shows, such as in which stages, makes nothing alike by itself.
bool FailsAlike(const Match& match) { return !CommonClauses(match).empty() || !CommonWords(match, "says", 1).empty(); }

bool HaveOneInCommon(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& word) { return Contains(b, word); });
}

/// Adds candidates of one kind each, the most alike first; faults of the same kind stand beside it. Beside a good one
/// nobody wants a bad one. Returns the matches of `candidates`.
std::vector<const Match*> AddCandidates(const std::vector<Match>& matches, std::vector<Candidate>& candidates) {
  std::vector<const Match*> chosen;
  for (const Match& match : matches) {
    if (match.likeness < std::max(kLeastLikeness, kLeastOfBest * matches.front().likeness)) break;
    if (!FailsAlike(match)) continue;
    const auto same_kind = std::ranges::find_if(
        chosen, [&](const Match* other) { return HaveOneInCommon(other->fault->clauses, match.fault->clauses); });
    if (same_kind != chosen.end()) {
      std::vector<std::string>& also = candidates[same_kind - chosen.begin()].also;
      if (also.size() < kMostAlso) also.push_back(match.fault->id);
    } else if (chosen.size() < kMostAnswers) {
      chosen.push_back(&match);
      candidates.push_back({match.fault->id, match.fault->title, match.likeness, FitsOf(match)});
    }
  }
  return chosen;
}

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

/// All failing clauses: first those about a circumstance of the failures, where few clauses are about it before where
/// many are; then those that fail least probably where the fault is one of the candidates.
std::vector<std::string> LeastExplainedFirst(const RunView& view, const Comparison& comparison,
                                             const std::vector<const Match*>& candidates) {
  std::map<std::string, double> pointed = PointedAt(view);
  std::vector<std::string> clauses(comparison.failed.begin(), comparison.failed.end());
  std::ranges::stable_sort(clauses, {}, [&](const std::string& clause) {
    return std::pair(-pointed[clause], ProbabilityUnder(candidates, clause, comparison.weights));
  });
  return clauses;
}

void AddUnlike(const RunView& view, const Comparison& comparison, std::vector<const Match*> candidates,
               Diagnosis& diagnosis) {
  const std::vector<std::string> unexplained = LeastExplainedFirst(view, comparison, candidates);
  if (unexplained.empty()) return;
  const auto is_of_a_candidate = [&](const std::string& clause) {
    return std::ranges::any_of(candidates, [&](const Match* match) { return Contains(match->fault->clauses, clause); });
  };
  if (candidates.size() == kMostAnswers && !is_of_a_candidate(unexplained.front())) {
    candidates.pop_back();
    diagnosis.candidates.pop_back();
  }
  for (const std::string& clause : unexplained) {
    if (candidates.size() + diagnosis.unlike.size() == kMostAnswers) break;
    if (!is_of_a_candidate(clause)) diagnosis.unlike.push_back(clause);
  }
}

/// What mistakes, factors and known faults explain.
Diagnosis DiagnosisOfValues(const RunView& view, const std::vector<KnownFault>& known) {
  if (known.empty() || SymptomsOf(view).empty()) return {};
  const Comparison comparison = Compare(view, known);
  const ExplainedClauses explained = ExplainedIn(view);
  Diagnosis diagnosis;
  AddNotes(view, explained, diagnosis);
  const bool is_explained = !diagnosis.notes.empty() && diagnosis.notes.front().text.starts_with(kAsIf);
  AddCircumstance(view, diagnosis);
  if (!is_explained) AddUnlike(view, comparison, AddCandidates(comparison.matches, diagnosis.candidates), diagnosis);
  diagnosis.order =
      OrderOf(view, comparison.failed, ClearlyWrong(view, explained, diagnosis),
              diagnosis.candidates.empty() ? std::vector<std::string>{} : comparison.matches.front().fault->clauses,
              comparison.weights);
  return diagnosis;
}

}  // namespace

Diagnosis Diagnose(const RunView& view, const std::vector<KnownFault>& known) {
  Diagnosis diagnosis = DiagnosisOfValues(view, known);
  AddSharedEnds(view, diagnosis);
  return diagnosis;
}

}  // namespace zerocts
