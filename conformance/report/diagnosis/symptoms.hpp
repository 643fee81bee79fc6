// What the failures of a run look like: which clauses fail, in which words, when in a step, and where. Two runs that
// have much of this in common have, most likely, the same cause.
#pragma once
#include <set>
#include <string>
#include <tuple>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// Kinds, and what the word of each says
///   "fails"  how the clause ended: "fail", "crash", ..
///   "says"   its sentence, or the note on its first divergence, by its words without numbers and names
///   "factor" by which the first divergence may be wrong: "W: not divided by the number of ranks .."
///   "in"     the phase of the first divergence: "gather"
///   "where"  of the whole run (no clause): "several ranks only", "bf16 only", "fp32 only", "stages 2 3"
///   "when"   of the whole run: a feature of all its failing cases (report/diagnosis/circumstances.hpp), "overflow",
///            "no momentum"
struct Symptom {
  std::string clause, kind, word;
  auto operator<=>(const Symptom&) const = default;
};
using Symptoms = std::set<Symptom>;

/// What check/cause/hints.hpp noted on the failure's first divergence; "" where it noted nothing.
std::string NoteIn(const nlohmann::json& failure);

/// The symptoms of all failures that no expectations file knows.
Symptoms SymptomsOf(const RunView& view);

/// The words of a sentence that are the same in every case: no numbers, no names that hold a number, at most sixteen.
std::string WordingOf(const std::string& sentence);

}  // namespace zerocts
