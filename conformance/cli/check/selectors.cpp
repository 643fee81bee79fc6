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

/// " (did you mean --tier smoke?)": of a word that stands where an option's name is missing; "" otherwise.
std::string MissingOption(const std::string& word, const std::map<std::string, std::string>& options) {
  if (options.contains(word)) return fmt::format(" (did you mean {}?)", options.at(word));
  const bool is_subject = word.starts_with("torch:") || word.starts_with("plugin:") || word.starts_with("exec:");
  return is_subject ? fmt::format(" (did you mean --subject {}?)", word) : "";
}

[[noreturn]] void RefuseWord(const std::string& word, const std::vector<Clause>& clauses,
                             const std::map<std::string, std::string>& options) {
  std::vector<std::string> names;
  std::set<std::string> families;
  for (const Clause& clause : clauses) {
    names.push_back(clause.id);
    families.insert(clause.family);
  }
  names.insert(names.end(), families.begin(), families.end());
  const std::string option = word.starts_with("C-LIVE-") || word == "live"
                                 ? ": zerocts watch judges live clauses (see zerocts watch --help)"
                                 : MissingOption(word, options);
  throw UsageError(
      fmt::format("expected a clause id or a family ({}), got '{}', which matches nothing{}; zerocts list shows all",
                  fmt::join(families, ", "), word, option.empty() ? DidYouMean(word, names) : option));
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

std::vector<Clause> SelectClauses(const std::vector<std::string>& words, const std::vector<Clause>& clauses,
                                  const std::map<std::string, std::string>& options) {
  std::vector<bool> chosen(clauses.size(), words.empty());
  for (const std::string& word : words) {
    bool matched = false;
    for (size_t i = 0; i < clauses.size(); ++i) {
      if (!Names(word, clauses[i]) && !SameName(word, clauses[i].family)) continue;
      chosen[i] = matched = true;
    }
    if (!matched) RefuseWord(word, clauses, options);
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
