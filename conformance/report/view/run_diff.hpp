// What changed from one run to another: not the figures, but what each configuration of each clause came to.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// A configuration of a clause, a clause as a whole, or a group of ranks.
struct RunPart {
  std::string what;   // "C-ZERO-001", "groups of ranks"
  std::string where;  // "local W=3 fp32"

  auto operator<=>(const RunPart&) const = default;
};

struct Change {
  RunPart part;
  std::string name;                     // of the clause; may be empty
  std::optional<Result> before, after;  // none: it was not in that run at all
  std::string sentence;                 // of its failure in the later run; may be empty
};

enum class ChangeKind {
  kNewlyFailing,  // passed, or was known to fail, and fails now
  kLost,          // was asked before, or seen, and is not now
  kNewlyPassing,
  kNew,      // was not asked before, or self-reported, and passes
  kRevised,  // worse, but the clause asks for more than it did: not the doing of the subject
  kOther,    // fails in both runs, with another result or sentence
};

/// Named values of two objects, leaf by leaf.
struct ChangedValues {
  std::vector<std::string> changed;  // "formulas.adam.epsilon: outside, then inside"
  std::vector<std::string> added;    // "tied = true"
  std::vector<std::string> removed;  // "plans"

  void Add(const nlohmann::json& before, const nlohmann::json& after);
};

struct RunDiff {
  std::string before, after;            // "native 0.1.0, conformant": who ran, and to which end
  std::vector<std::string> conditions;  // in which the runs differ: "seed: 1, then 2"
  std::vector<std::string> revisions;   // of clauses that ask for something else now: "C-ZERO-002: revision 1 -> 2"
  ChangedValues declared;               // what the subject, or its framework, says of itself
  std::map<ChangeKind, std::vector<Change>> changes;
  int64_t still_failing = 0, still_passing = 0;
  std::vector<std::string> no_verdict;  // logs that prove none, and why
  std::string remarks;                  // of what made this comparison, in lines; for pages and programs

  bool worse() const { return changes.contains(ChangeKind::kNewlyFailing) || changes.contains(ChangeKind::kLost); }
  int exit_code() const;  // 3 where a log proves no verdict, else 1 where something is worse, else 0
};

/// What was not asked before and fails now is newly failing.
RunDiff DiffOf(const RunView& before, const RunView& after);

/// "newly failing"
std::string ToString(ChangeKind kind);

/// For programs: {"before", "after", "remarks": text, "exit_code", "conditions", "revisions", "no_verdict": [text],
/// "declared": {"changed", "added", "removed": [text]}, "changes": {"newly_failing": [{"what", "where", "before",
/// "after", "sentence"}]}}.
nlohmann::json ToJson(const RunDiff& diff);

/// "C-ZERO-001 shard coverage, local W=3 fp32: passed, now fail"
std::string TextOf(const Change& change);

/// For terminals and logs.
std::string DiffText(const RunDiff& diff, bool color);

}  // namespace zerocts
