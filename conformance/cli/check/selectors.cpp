// Matches words against ids and families.
#include "conformance/cli/check/selectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"

namespace zerocts {
namespace {

[[noreturn]] void RefuseWord(const std::string& word, const std::vector<Clause>& clauses) {
  std::vector<std::string> names;
  std::set<std::string> families;
  for (const Clause& clause : clauses) {
    names.push_back(clause.id);
    families.insert(clause.family);
  }
  names.insert(names.end(), families.begin(), families.end());
  throw UsageError(
      fmt::format("expected a clause id or a family ({}), got '{}', which matches nothing{}; zerocts list shows all",
                  fmt::join(families, ", "), word, DidYouMean(word, names)));
}

}  // namespace

bool SameName(const std::string& a, const std::string& b) {
  const auto folded = [](char c) { return c == '_' ? '-' : std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return folded(x) == folded(y); });
}

bool Names(const std::string& word, const Clause& clause) {
  const std::string number = clause.id.substr(clause.id.rfind('-') + 1);
  return SameName(word, clause.id) || word == number || SameName(word, clause.family + "/" + number);
}

std::vector<Clause> SelectClauses(const std::vector<std::string>& words, const std::vector<Clause>& clauses) {
  std::vector<bool> chosen(clauses.size(), words.empty());
  for (const std::string& word : words) {
    bool matched = false;
    for (size_t i = 0; i < clauses.size(); ++i) {
      if (!Names(word, clauses[i]) && !SameName(word, clauses[i].family)) continue;
      chosen[i] = matched = true;
    }
    if (!matched) RefuseWord(word, clauses);
  }
  std::vector<Clause> selected;
  for (size_t i = 0; i < clauses.size(); ++i) {
    if (chosen[i]) selected.push_back(clauses[i]);
  }
  return selected;
}

std::vector<Clause> OfShard(const std::string& shard, const std::vector<Clause>& clauses) {
  const size_t slash = std::min(shard.find('/'), shard.size());
  const std::string index_text = shard.substr(0, slash), count_text = shard.substr(std::min(slash + 1, shard.size()));
  const uint64_t count = WholeNumber("--shard I/N: N", count_text, 1, clauses.size());
  const uint64_t index = WholeNumber("--shard I/N: I", index_text, 1, count);
  std::vector<Clause> chosen;
  for (uint64_t i = index - 1; i < clauses.size(); i += count) chosen.push_back(clauses[i]);
  return chosen;
}

std::vector<std::string> SelectProfiles(const std::vector<std::string>& words, const std::vector<Profile>& profiles) {
  std::vector<std::string> names, chosen;
  for (const Profile& profile : profiles) names.push_back(profile.name);
  for (const std::string& word : words) {
    const auto found = std::ranges::find_if(names, [&](const std::string& name) { return SameName(name, word); });
    if (found == names.end()) {
      throw UsageError(fmt::format("--require: expected profiles ({}), got '{}'{}; zerocts list --profiles shows them",
                                   fmt::join(names, ", "), word, DidYouMean(word, names)));
    }
    if (!Contains(chosen, *found)) chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace zerocts
