// zerocts list: the clauses by family, as a table or as the Markdown page of the contract.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/cli/check/selectors.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/contract/live_clauses.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/contract/profiles.hpp"
#include "conformance/report/words/text.hpp"

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
  Of a costly one (`past_caches`) one case is enough; the tier smoke has none.
- *Not asked yet* is what the suite cannot show to a subject today.
- Cases of SGD are cases of AdamW or Adam in a run without SGD (`--optimizer adamw`), with an epsilon as large as
  gradients. Cases within a bound stay SGD's.

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

/// Family by family: what each clause requires, how it is checked, which faults it must find, and where they happened.
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

void PrintProfiles() {
  for (const Profile& profile : AllProfiles()) {
    const std::string with = profile.feature.empty() ? "" : fmt::format(" Each asked with {}.", profile.feature);
    fmt::print("{:<16} {}{}\n{}", profile.name, profile.meaning, with,
               Wrap(fmt::format("{}", fmt::join(profile.clauses, " ")), kColumns, 17));
  }
}

void PrintAsJson(const std::vector<Clause>& clauses, const std::vector<watch::LiveClause>& live) {
  nlohmann::json list = nlohmann::json::array();
  for (const Clause& clause : clauses) {
    list.push_back(
        {{"id", clause.id}, {"family", clause.family}, {"fidelity", ToString(clause.fidelity)}, {"name", clause.name}});
  }
  AddAsJson(live, list);
  fmt::print("{}\n", list.dump(1));
}

void PrintClauses(const std::vector<Clause>& clauses) {
  fmt::print("{:<10}  {:<13} {:<15} {}\n", "clause", "family", "fidelity", "name");
  for (const Clause& clause : clauses) {
    fmt::print("{:<10}  {:<13} {:<15} {}\n", clause.id, clause.family, ToString(clause.fidelity), clause.name);
  }
}

}  // namespace

void AddListCommand(CLI::App& program, int& exit_code) {
  auto selectors = std::make_shared<std::vector<std::string>>();
  CLI::App* command = program.add_subcommand("list", "The clauses of the contract");
  command->add_option("CLAUSE|FAMILY", *selectors, "Clauses or families to list; default: all");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "The whole text of each, as the page conformance/contract/README.md");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "For programs: an array of objects");
  auto profiles = std::make_shared<bool>(false);
  command->add_flag("--profiles", *profiles, "The named sets of clauses, for zerocts check --require");
  command->callback([selectors, markdown, as_json, profiles, &exit_code] {
    exit_code = 0;
    std::vector<std::string> words = Words(*selectors);
    const std::vector<watch::LiveClause> live = TakeLive(words);
    const bool only_live = words.empty() && !selectors->empty();
    const std::vector<Clause> clauses = only_live ? std::vector<Clause>() : SelectClauses(words, AllClauses());
    if (*profiles) return PrintProfiles();
    if (*markdown) {
      fmt::print("{}{}", ClausePage(clauses, InstalledMutants()), LiveSection(live));
      return;
    }
    if (*as_json) return PrintAsJson(clauses, live);
    PrintClauses(clauses);
    fmt::print("{}", LiveRows(live));
  });
}

}  // namespace zerocts
