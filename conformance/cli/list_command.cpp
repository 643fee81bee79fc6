// zerocts list: the clauses by family.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/selectors.hpp"
#include "conformance/cli/values.hpp"

namespace zerocts {

void AddListCommand(CLI::App& program, int& exit_code) {
  auto selectors = std::make_shared<std::vector<std::string>>();
  CLI::App* command = program.add_subcommand("list", "The clauses of the contract");
  command->add_option("CLAUSE|FAMILY", *selectors, "Clauses or families to list; default: all");
  command->callback([selectors, &exit_code] {
    fmt::print("{:<10}  {:<13} {:<15} {}\n", "clause", "family", "fidelity", "name");
    for (const Clause& clause : SelectClauses(Words(*selectors), AllClauses())) {
      fmt::print("{:<10}  {:<13} {:<15} {}\n", clause.id, clause.family, ToString(clause.fidelity), clause.name);
    }
    exit_code = 0;
  });
}

}  // namespace zerocts
