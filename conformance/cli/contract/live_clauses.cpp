#include "conformance/cli/contract/live_clauses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/cli/check/selectors.hpp"

namespace zerocts {
namespace {

using watch::LiveClause;

const char* LevelOf(const LiveClause& clause) { return clause.level == watch::Level::kAlarm ? "alarm" : "notice"; }

}  // namespace

std::vector<LiveClause> TakeLive(std::vector<std::string>& words) {
  if (words.empty()) return watch::AllLiveClauses();
  const auto names = [](const std::string& word, const LiveClause& clause) {
    return SameName(word, kLiveFamily) || SameName(word, clause.id) || SameName(word, clause.name);
  };
  std::vector<LiveClause> chosen;
  for (const LiveClause& clause : watch::AllLiveClauses()) {
    if (std::ranges::any_of(words, [&](const std::string& word) { return names(word, clause); }))
      chosen.push_back(clause);
  }
  std::erase_if(words, [&](const std::string& word) {
    return std::ranges::any_of(chosen, [&](const LiveClause& clause) { return names(word, clause); });
  });
  return chosen;
}

void AddAsJson(const std::vector<LiveClause>& clauses, nlohmann::json& list) {
  for (const LiveClause& clause : clauses) {
    list.push_back({{"id", clause.id},
                    {"family", kLiveFamily},
                    {"fidelity", ToString(clause.fidelity)},
                    {"name", clause.name},
                    {"level", LevelOf(clause)}});
  }
}

std::string LiveRows(const std::vector<LiveClause>& clauses) {
  std::string rows;
  for (const LiveClause& clause : clauses)
    rows += fmt::format("{:<10}  {:<13} {:<15} {}\n", clause.id, kLiveFamily, ToString(clause.fidelity), clause.name);
  return rows;
}

std::string LiveSection(const std::vector<LiveClause>& clauses) {
  if (clauses.empty()) return "";
  std::string section =
      "\n## live\n\n`zerocts watch` judges these on the records of a running training "
      "([what it can tell](../guide/watch.md)); `zerocts check` does not.\n";
  for (const LiveClause& clause : clauses) {
    section +=
        fmt::format("\n### {} {}\n\n**{}**\n\n{}\n\nFidelity: {}. A finding is {} {}. Judged by [`{}`]({}).\n",
                    clause.id, clause.name, clause.sentence, clause.how, ToString(clause.fidelity),
                    clause.level == watch::Level::kAlarm ? "an" : "a", LevelOf(clause), clause.file, clause.file);
    if (!clause.bugs.empty()) section += "\nThis happened:\n\n";
    for (const auto& [what, link] : clause.bugs) section += fmt::format("- {} <{}>\n", what, link);
  }
  return section;
}

}  // namespace zerocts
