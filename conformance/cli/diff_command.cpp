// zerocts diff A B: do two training runs have the same bits, and where do they part first?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/trace_diff.hpp"

namespace zerocts {

void AddDiffCommand(CLI::App& program, int& exit_code) {
  struct Options {
    std::string a, b;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("diff", "The first difference of two traces of zerocts train; exit 0 equal, 1 different");
  command->add_option("A", options->a, "A trace file")->required();
  command->add_option("B", options->b, "Another trace file")->required();
  command->callback([options, &exit_code] {
    const Trace a = ReadTrace(options->a), b = ReadTrace(options->b);
    for (const std::string& line : DifferentConditions(a, b)) fmt::print("other conditions: {}\n", line);
    const std::string difference = FirstDifference(a, b);
    exit_code = difference.empty() ? 0 : 1;
    if (difference.empty()) {
      fmt::print("equal: {} steps, bit for bit\n", a.size() - 1);
    } else {
      fmt::print("first difference: {}\n", difference);
    }
  });
}

}  // namespace zerocts
