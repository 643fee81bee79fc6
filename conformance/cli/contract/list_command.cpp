// zerocts list: the clauses by family.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/cli/check/selectors.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/contract/clause_page.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/contract/profiles.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

void PrintProfiles() {
  for (const Profile& profile : AllProfiles()) {
    const std::string with = profile.feature.empty() ? "" : fmt::format(" Each asked with {}.", profile.feature);
    fmt::print("{:<16} {}{}\n{}", profile.name, profile.meaning, with,
               Wrap(fmt::format("{}", fmt::join(profile.clauses, " ")), kColumns, 17));
  }
}

void PrintAsJson(const std::vector<Clause>& clauses) {
  nlohmann::json list = nlohmann::json::array();
  for (const Clause& clause : clauses) {
    list.push_back(
        {{"id", clause.id}, {"family", clause.family}, {"fidelity", ToString(clause.fidelity)}, {"name", clause.name}});
  }
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
    const std::vector<Clause> clauses = SelectClauses(Words(*selectors), AllClauses());
    if (*profiles) return PrintProfiles();
    if (*markdown) {
      fmt::print("{}", ClausePage(clauses, InstalledMutants()));
      return;
    }
    if (*as_json) return PrintAsJson(clauses);
    PrintClauses(clauses);
  });
}

}  // namespace zerocts
