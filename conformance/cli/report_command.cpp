// zerocts report RUN: the reports of a run that is over, made from its results.ndjson alone.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/report/record.hpp"

namespace zerocts {

void AddReportCommand(CLI::App& program, int& exit_code) {
  struct Options {
    std::string run, junit;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("report", "Reports of an earlier run: the table, or JUnit with --junit");
  command->add_option("RUN", options->run, "The run's folder, or its results.ndjson")->required();
  command->add_option("--junit", options->junit, "Write JUnit XML to this file instead of showing the table");
  command->callback([options, &exit_code] {
    const bool folder = std::filesystem::is_directory(options->run);
    const auto records = ReadEventLog(folder ? options->run + "/results.ndjson" : options->run);
    if (options->junit.empty()) {
      fmt::print("{}", TableOf(records, StandardOutputHasColor()));
    } else {
      WriteFile(options->junit, JUnitOf(records));
      fmt::print("{}\n", options->junit);
    }
    exit_code = 0;
  });
}

}  // namespace zerocts
