#include "conformance/cli/contract/clause_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace zerocts {
namespace {

constexpr const char* kHead = R"(# The contract

<!-- Written by `zerocts list --markdown`; the test meta.clause_page compares. Edit the clauses, not this page. -->

Each clause says what every implementation of ZeRO must keep. `zerocts check C-ZERO-001` judges one,
`zerocts explain C-ZERO-001` prints it. A mutant is an engine with one planted fault; its clauses must find it.

- *Fidelity* is what "equal" means here: [the words](../guide/glossary.md).
- *About* names the features of a case without which the clause is not asked: where no case can have them, it is not
  applicable, and never passed.
- *Asked in at least 5 % of the cases* lists features of a case. Below that rate a clause does not count as checked.
- *Not asked yet* is what the suite cannot show to a subject today.

[How to add a clause, a mutant or a family](ADDING.md).
)";

/// Text that Markdown shows as it is.
std::string Plain(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (std::string_view(R"(\`*<[|)").find(c) != std::string_view::npos) plain += '\\';
    plain += c;
  }
  return plain;
}

std::string Title(const Clause& clause) { return fmt::format("{} {}", clause.id, clause.name); }

/// The name that GitHub and GitLab give to a heading.
std::string Anchor(const std::string& heading) {
  std::string anchor;
  for (const unsigned char c : heading) {
    if (std::isalnum(c) || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(c));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::string Section(const std::string& heading, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  return fmt::format("\n{}:\n\n- {}\n", heading, fmt::join(items, "\n- "));
}

/// "declared order, or bounded".
std::string FidelityText(const Clause& clause) {
  return ToString(clause.fidelity) + (MayBeBounded(clause) ? ", or " + ToString(Fidelity::kBounded) : "");
}

std::string Index(const std::vector<Clause>& clauses) {
  std::string table = "\n| clause | family | fidelity |\n| --- | --- | --- |\n";
  for (const Clause& clause : clauses) {
    table += fmt::format("| [{0}](#{1}) | {2} | {3} |\n", Title(clause), Anchor(Title(clause)), clause.family,
                         FidelityText(clause));
  }
  return table;
}

/// "`accumulation`, and `bf16` or `bf16_accumulation`".
std::string AboutOf(const Essential& essential) {
  std::vector<std::string> parts;
  for (const auto& alternatives : essential) parts.push_back(fmt::format("`{}`", fmt::join(alternatives, "` or `")));
  return fmt::format("{}", fmt::join(parts, ", and "));
}

std::string Entry(const Clause& clause, const std::vector<InstalledMutant>& mutants) {
  std::vector<std::string> features, needs, kills, bugs;
  for (const std::string& feature : clause.features) features.push_back("`" + feature + "`");
  for (const std::string& need : clause.needs) needs.push_back(Plain(need));
  for (const InstalledMutant& mutant : mutants) {
    const bool named = std::count(mutant.clauses.begin(), mutant.clauses.end(), clause.id) > 0;
    if (named) kills.push_back(fmt::format("{}: {}", mutant.id, Plain(mutant.title)));
  }
  for (const RealBug& bug : clause.bugs) bugs.push_back(fmt::format("{} <{}>", Plain(bug.what), bug.link));

  std::string entry = fmt::format("\n### {}\n\n**{}**\n\n{}\n\nFidelity: {}.", Title(clause), Plain(clause.sentence),
                                  Plain(clause.how), FidelityText(clause));
  entry += fmt::format(" Judged by [`{0}`]({0}). About: {1}.", clause.file, AboutOf(clause.essential));
  if (!features.empty()) entry += fmt::format(" Asked in at least 5 % of the cases: {}.", fmt::join(features, ", "));
  if (clause.revision > 1) entry += fmt::format(" Revision {}.", clause.revision);
  return entry + "\n" + Section("Not asked yet", needs) + Section("Mutants that it must kill", kills) +
         Section("This happened", bugs);
}

}  // namespace

std::string ClausePage(const std::vector<Clause>& clauses, const std::vector<InstalledMutant>& mutants) {
  std::string page = kHead + Index(clauses);
  for (const std::string& family : Families()) {
    std::string entries;
    for (const Clause& clause : clauses) {
      if (clause.family == family) entries += Entry(clause, mutants);
    }
    if (!entries.empty()) page += fmt::format("\n## {0}\n\n[About this family]({0}/README.md)\n{1}", family, entries);
  }
  return page;
}

}  // namespace zerocts
