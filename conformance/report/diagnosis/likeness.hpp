// How much alike is a run to each known fault? The run is compared with the mutants, each of which has one fault and
// was once judged by all clauses (contract/known_faults.json).
//
// The likeness of two sets of symptoms A and B is a weighted Jaccard index,
//
//     sum of w(s) over s in both  /  sum of w(s) over s in one or both,
//
// in which a symptom weighs the more the fewer known faults have it: w(s) = log((N + 1) / n(s)) for n(s) of N faults,
// and that of one fault where none has it. Which clauses fail, and by which factor, counts kOfClausesAndFactors times
// as much as what they say: words differ between subjects. What a clause says, and in which phase, counts a second time
// without the clause: so words that several clauses have in common are pooled, and a fault is recognized by other
// clauses than those it was known by. Symptoms of clauses that were not judged in both runs do not count.
//
// A fault whose own clauses, which must find it, were asked and did not fail is unlikely: it is kOwnClausesPassed as
// much alike. So is one that most clauses find wrong by another factor than this run, or by one where the run has none:
// kOtherFactors. A fault of which no own clause was judged is not alike: the subject cannot have it.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/report/diagnosis/symptoms.hpp"
#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// A mutant, and what the suite saw of it.
struct KnownFault {
  std::string id, title;             // "M20", "the sum of the gradients is used as their mean"
  std::vector<std::string> clauses;  // that must find it
  Symptoms symptoms;
  std::set<std::string> judged;  // clauses that came to an answer where it was seen; none: it is not known
};

inline constexpr double kOfClausesAndFactors = 2;
inline constexpr double kOwnClausesPassed = 0.2;
inline constexpr double kOtherFactors = 0.5;

/// Clauses that came to an answer.
std::set<std::string> JudgedIn(const RunView& view);

/// Clauses with a symptom.
std::set<std::string> FailedIn(const Symptoms& symptoms);

class Weights {
 public:
  /// [known.size()] `comparable`: their symptoms.
  Weights(const std::vector<KnownFault>& known, const std::vector<Symptoms>& comparable);
  double Of(const Symptom& symptom) const;

  /// How many of the known faults that a clause judged it found, from 0 to 1.
  double ShareFound(const std::string& clause) const;

 private:
  double Having(const Symptom& symptom) const;
  /// How many faults could show a symptom of this clause.
  double Showing(const std::string& clause) const;

  size_t known_, unlimited_ = 0;
  std::map<Symptom, int> having_;
  std::map<std::string, size_t> judged_, found_;  // by clause
};

struct Match {
  const KnownFault* fault = nullptr;
  double likeness = 0;
  std::vector<Symptom> common;  // the heaviest first
};

struct Comparison {
  std::set<std::string> failed;  // clauses of the run
  Weights weights;
  std::vector<Match> matches;  // one for each known fault, the most alike first
};
Comparison Compare(const RunView& view, const std::vector<KnownFault>& known);

}  // namespace zerocts
