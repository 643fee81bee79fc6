// zerocts report RUN..: the reports of runs that are over, made from their results.ndjson alone.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/report/matrix.hpp"
#include "conformance/report/reports.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> runs;
  std::string junit, matrix;
};

/// A folder is the run in it, or else the runs in its folders, by name.
std::vector<std::string> LogsOf(const std::string& run) {
  const std::string log = run + "/results.ndjson";
  if (!fs::is_directory(run)) return {run};
  std::vector<std::string> logs;
  for (const fs::directory_entry& folder : fs::directory_iterator(run)) {
    if (const fs::path inside = folder.path() / "results.ndjson"; fs::is_regular_file(inside)) logs.push_back(inside);
  }
  if (logs.empty() || fs::exists(log)) return {log};
  std::ranges::sort(logs);
  return logs;
}

int ReportMatrix(const std::vector<std::string>& logs, const std::string& page) {
  std::vector<RunView> runs;
  std::set<int> exit_codes;
  for (const std::string& log : logs) {
    runs.push_back(ViewOfLog(log));
    exit_codes.insert(runs.back().exit_code());
  }
  const ClauseMatrix matrix = MatrixOf(runs);
  WriteFile(page, MatrixHtml(matrix));
  fmt::print("{}\npage: {}\n", MatrixText(matrix, StandardOutputHasColor()), page);
  return GravestExitCode(exit_codes);
}

/// Shows or writes what was asked for; gives the exit code of the verdict.
int Report(const Options& options) {
  std::vector<std::string> logs;
  for (const std::string& run : options.runs) std::ranges::copy(LogsOf(run), std::back_inserter(logs));
  if (!options.matrix.empty()) return ReportMatrix(logs, options.matrix);
  if (logs.size() != 1)
    throw UsageError(
        fmt::format("expected one run, got {}; several go beside each other with --matrix FILE.html", logs.size()));
  const RunView run = ViewOfLog(logs.front());
  if (options.junit.empty()) {
    fmt::print("{}", TableOf(run, StandardOutputHasColor()));
  } else {
    WriteFile(options.junit, JUnitOf(run));
    fmt::print("{}\n", options.junit);
  }
  return run.exit_code();
}

}  // namespace

void AddReportCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("report",
                                             "Reports of earlier runs: the table, JUnit, or clauses x subjects; "
                                             "the exit code is the verdict's, or 3 where a log proves none");
  command->add_option("RUN", options->runs, "A run's folder or its results.ndjson, or a folder of such folders")
      ->required();
  CLI::Option* junit =
      command->add_option("--junit", options->junit, "Write JUnit XML to this file instead of showing the table");
  command
      ->add_option("--matrix", options->matrix,
                   "Show all runs beside each other, and write them as one HTML page to this file")
      ->excludes(junit);
  command->callback([options, &exit_code] { exit_code = Report(*options); });
}

}  // namespace zerocts
