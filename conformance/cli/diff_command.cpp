// zerocts diff A B: do two training runs have the same bits, and where do they part first?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/trace_diff.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {

namespace {

constexpr int kEqualExit = 0, kDifferentExit = 1, kNoVerdictExit = 6;

/// What is different goes before what is missing: a difference is one, however the traces go on.
int Diff(const Trace& a, const Trace& b) {
  for (const std::string& line : DifferentConditions(a, b)) fmt::print("other conditions: {}\n", line);
  if (const std::string difference = FirstDifference(a, b); !difference.empty()) {
    fmt::print("first difference: {}\n", difference);
    return kDifferentExit;
  }
  if (const std::vector<std::string> others = DifferentExperiments(a, b); !others.empty()) {
    throw UsageError(
        fmt::format("expected two traces of one experiment, got other {}{}; every step that both have is equal",
                    others.front(), others.size() > 1 ? fmt::format(" and {} more", others.size() - 1) : ""));
  }
  if (const std::string cut = CutShort(a, b); !cut.empty()) {
    fmt::print("no verdict: {}, and so far both are equal; train again to the end\n", cut);
    return kNoVerdictExit;
  }
  fmt::print("equal: {} steps, bit for bit\n", a.size() - 1);
  return kEqualExit;
}

}  // namespace

void AddDiffCommand(CLI::App& program, int& exit_code) {
  struct Options {
    std::string a, b;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "diff", "The first difference of two traces of zerocts train; exit 0 equal, 1 different, 6 equal but cut");
  command->add_option("A", options->a, "A trace file")->required();
  command->add_option("B", options->b, "Another trace file")->required();
  command->callback([options, &exit_code] { exit_code = Diff(ReadTrace(options->a), ReadTrace(options->b)); });
}

}  // namespace zerocts
