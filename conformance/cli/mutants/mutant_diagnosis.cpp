#include "conformance/cli/mutants/mutant_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/report/diagnosis/diagnose.hpp"
#include "conformance/report/view/run_view.hpp"

namespace zerocts {
namespace {

std::vector<KnownFault> Without(std::vector<KnownFault> known, const std::string& id) {
  std::erase_if(known, [&](const KnownFault& fault) { return fault.id == id; });
  return known;
}

/// Ids of mutants that a clause must find which must find this one too.
std::set<std::string> SiblingsOf(const InstalledMutant& mutant, const std::vector<KnownFault>& known) {
  std::set<std::string> siblings;
  for (const KnownFault& fault : known) {
    const bool shares = std::ranges::any_of(
        fault.clauses, [&](const std::string& clause) { return std::ranges::count(mutant.clauses, clause) > 0; });
    if (shares && fault.id != mutant.id) siblings.insert(fault.id);
  }
  return siblings;
}

/// Is the right one named first, and among three?
struct Answer {
  bool first = false, among = false;

  const char* word() const { return first ? "first" : among ? "among" : "wrong"; }
};

/// `clauses`: which name the fault too.
Answer AnswerOf(const Diagnosis& diagnosis, const std::set<std::string>& right,
                const std::vector<std::string>& clauses) {
  const auto is_right = [&](const Candidate& candidate) { return right.contains(candidate.id); };
  const auto is_among = [&](const Candidate& candidate) {
    return is_right(candidate) ||
           std::ranges::any_of(candidate.also, [&](const std::string& id) { return right.contains(id); });
  };
  const auto is_unlike = [&](const std::string& clause) { return std::ranges::count(clauses, clause) > 0; };
  const auto& unlike = diagnosis.unlike;
  return {.first = diagnosis.candidates.empty() ? !unlike.empty() && is_unlike(unlike.front())
                                                : is_right(diagnosis.candidates.front()),
          .among = std::ranges::any_of(unlike, is_unlike) || std::ranges::any_of(diagnosis.candidates, is_among)};
}

void Count(const Answer& answer, Recognition& recognition) {
  ++recognition.runs;
  recognition.first += answer.first;
  recognition.among += answer.among;
}

bool IsOdd(const std::string& id) { return std::string("13579").find(id.back()) != std::string::npos; }

std::string Named(const Diagnosis& diagnosis) {
  std::string text;
  for (const Candidate& candidate : diagnosis.candidates)
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", candidate.id, 100 * candidate.likeness);
  for (const std::string& clause : diagnosis.unlike)
    text += fmt::format("{}unlike, {}", text.empty() ? "" : ", ", clause);
  return text.empty() ? "nothing" : text;
}

std::string LineOf(const std::string& what, const Recognition& r) {
  const auto percent = [&](int count) { return r.runs == 0 ? 0 : 100.0 * count / r.runs; };
  return fmt::format("{}: right first in {} of {} runs ({:.0f} %), among three in {} ({:.0f} %)\n", what, r.first,
                     r.runs, percent(r.first), r.among, percent(r.among));
}

}  // namespace

std::vector<KnownFault> FaultsIn(const std::vector<LoggedMutant>& mutants) {
  std::vector<KnownFault> faults;
  for (const LoggedMutant& logged : mutants) {
    if (logged.mutant.benign) continue;
    KnownFault fault{logged.mutant.id, logged.mutant.title, logged.mutant.clauses, {}, {}};
    for (const std::string& log : logged.logs) {
      const RunView view = ViewOfLog(log);
      fault.symptoms.merge(SymptomsOf(view));
      fault.judged.merge(JudgedIn(view));
    }
    faults.push_back(std::move(fault));
  }
  return faults;
}

std::vector<KnownFault> Renewed(const std::vector<KnownFault>& old, const std::vector<KnownFault>& recorded,
                                const std::vector<InstalledMutant>& existing) {
  std::map<std::string, KnownFault> by_id;
  for (const KnownFault& fault : old) by_id[fault.id] = fault;
  for (KnownFault fault : recorded) {
    if (fault.symptoms.empty()) fault.symptoms = by_id[fault.id].symptoms;  // nothing failed in so few cases
    by_id[fault.id] = std::move(fault);
  }
  std::erase_if(by_id, [&](const auto& fault) {
    return std::ranges::find(existing, fault.first, &InstalledMutant::id) == existing.end();
  });
  std::vector<KnownFault> renewed;
  for (const auto& [id, fault] : by_id) renewed.push_back(fault);
  return renewed;
}

RecognitionOfAll Recognized(const std::vector<LoggedMutant>& mutants, const std::vector<KnownFault>& known) {
  RecognitionOfAll all;
  for (const LoggedMutant& logged : mutants) {
    if (logged.mutant.benign) continue;
    const std::set<std::string> siblings = SiblingsOf(logged.mutant, known);
    for (const std::string& log : logged.logs) {
      const RunView view = ViewOfLog(log);
      if (SymptomsOf(view).empty()) {
        ++all.silent;
        continue;
      }
      const Diagnosis itself = Diagnose(view, known), others = Diagnose(view, Without(known, logged.mutant.id));
      const Answer of_itself = AnswerOf(itself, {logged.mutant.id}, {});
      const Answer of_others = AnswerOf(others, siblings, logged.mutant.clauses);
      Count(of_itself, all.itself);
      if (!siblings.empty()) {
        Count(of_others, all.by_sibling);
        Count(of_others, IsOdd(logged.mutant.id) ? all.of_odd : all.of_even);
      }
      all.rows += fmt::format("{:<6} {} {:<34} left out: {} {}\n", logged.mutant.id, of_itself.word(), Named(itself),
                              siblings.empty() ? "alone" : of_others.word(), Named(others));
    }
  }
  return all;
}

std::string RecognitionText(const RecognitionOfAll& recognized) {
  return recognized.rows + LineOf("known from other seeds, itself", recognized.itself) +
         LineOf("left out, a mutant of the same clause or that clause", recognized.by_sibling) +
         LineOf("  of these, mutants with an odd number", recognized.of_odd) +
         LineOf("  and with an even number", recognized.of_even) +
         fmt::format("{} runs in which nothing failed\n", recognized.silent);
}

}  // namespace zerocts
