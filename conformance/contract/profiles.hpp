// Profiles: named sets of clauses, so that what two subjects can do is compared in a word. One table, in profiles.cpp.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

struct Profile {
  std::string name;     // "zero-2"
  std::string meaning;  // one sentence
  std::string feature;  // that each clause must have been asked with: "stage2"; "": none
  std::vector<std::string> clauses;
};

const std::vector<Profile>& AllProfiles();

/// Whether one of these profiles has the clause.
bool HasClause(const std::vector<std::string>& profiles, const std::string& clause);

}  // namespace zerocts
