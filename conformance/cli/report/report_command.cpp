// zerocts report RUN..: the reports of runs that are over, made from their results.ndjson alone.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/report/run_logs.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/report/ci/badge.hpp"
#include "conformance/report/ci/ctrf.hpp"
#include "conformance/report/ci/junit.hpp"
#include "conformance/report/diagnosis/diagnose.hpp"
#include "conformance/report/diagnosis/known_faults.hpp"
#include "conformance/report/html/run_html.hpp"
#include "conformance/report/terminal/table.hpp"
#include "conformance/report/view/matrix.hpp"
#include "conformance/report/view/run_diff.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBesideTheLog = "RUN/report.html";  // what --html stands for without a file

struct ReportOptions {
  std::vector<std::string> runs;
  std::string junit, ctrf, badge, html, matrix, since;
  bool verbose = false, diagnosis = false;
};

/// Another version may count otherwise: it is named.
RunView ReadRun(const std::string& log) {
  RunView run = ViewOfLog(log);
  const std::string writer = run.run.is_object() ? run.run.value("version", "") : "";
  if (!writer.empty() && writer != ZEROCTS_VERSION)
    SayError(0, fmt::format("{}: written by zerocts {}, read by {}", log, writer, ZEROCTS_VERSION));
  return run;
}

int ReportMatrix(const std::vector<std::string>& logs, const std::string& page) {
  std::vector<RunView> runs;
  std::set<int> exit_codes;
  for (const std::string& log : logs) {
    runs.push_back(ReadRun(log));
    exit_codes.insert(runs.back().exit_code());
  }
  const ClauseMatrix matrix = MatrixOf(runs);
  WriteFile(page, MatrixHtml(matrix));
  fmt::print("{}\npage: {}\n", MatrixText(matrix, StandardOutputHasColor()), page);
  return GravestExitCode(exit_codes);
}

std::string TheLog(const std::vector<std::string>& logs, const char* where) {
  if (logs.size() == 1) return logs.front();
  throw UsageError(fmt::format("{}expected one run, got {}; several go beside each other with --matrix FILE.html",
                               where, logs.size()));
}

std::string PageOf(const ReportOptions& options, const std::string& log) {
  return options.html == kBesideTheLog ? (fs::path(log).parent_path() / "report.html").string() : options.html;
}

/// Every file that was asked for, and its path on standard output; false: none was.
bool WriteReports(const ReportOptions& options, const std::string& log, const RunView& run, const RunDiff* since) {
  bool any = false;
  const auto write = [&](const std::string& path, const std::string& text) {
    WriteFile(path, text);
    fmt::print("{}\n", path);
    any = true;
  };
  if (!options.junit.empty()) write(options.junit, JUnitOf(run));
  if (!options.ctrf.empty()) write(options.ctrf, CtrfOf(run));
  if (!options.badge.empty()) write(options.badge, BadgeOf(run));
  if (!options.html.empty()) write(PageOf(options, log), HtmlOf(run, since));
  return any;
}

/// Anew: the log has that of the faults that were known when it was written.
std::string DiagnosisJson(const RunView& run) {
  return ToJson(Diagnose(run, LoadKnownFaults(InstalledPath("share/zerocts/known_faults.json")))).dump(1);
}

/// Shows or writes what was asked for; gives the exit code of the verdict, or 3 where --since has none.
int Report(const ReportOptions& options) {
  std::vector<std::string> logs;
  for (const std::string& run : options.runs) std::ranges::copy(LogsOf(run), std::back_inserter(logs));
  if (!options.matrix.empty()) return ReportMatrix(logs, options.matrix);
  const std::string log = TheLog(logs, "");
  const RunView run = ReadRun(log);
  if (options.diagnosis) {
    fmt::print("{}\n", DiagnosisJson(run));
    return run.exit_code();
  }
  std::optional<RunDiff> since;
  if (!options.since.empty()) since = DiffOf(ReadRun(TheLog(LogsOf(options.since), "--since: ")), run);
  const bool compares = !since || since->no_verdict.empty();
  const int exit_code = compares ? run.exit_code() : since->exit_code();
  if (WriteReports(options, log, run, since ? &*since : nullptr)) return exit_code;
  const bool color = StandardOutputHasColor(), glance = StandardOutputIsTerminal() && !options.verbose;
  const std::string changes = since ? fmt::format("Changes since {}\n{}", options.since, DiffText(*since, color)) : "";
  fmt::print("{}", glance ? GlanceOf(run, color, changes)
                          : TableOf(run, color, options.verbose ? Detail::kAll : Detail::kSummary, changes));
  return exit_code;
}

}  // namespace

void AddReportCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = program.add_subcommand(
      "report",
      "Reports of earlier runs: for people, as a page, for CI, or clauses x subjects; the exit code is the verdict's, "
      "or 3 where a log proves none");
  command->add_option("RUN", options->runs, "A run's folder or its results.ndjson, or a folder of such folders")
      ->required();
  command->add_flag("--verbose", options->verbose, "Show every clause, every failure, and full lists");
  CLI::Option* html =
      command
          ->add_option("--html", options->html,
                       "Write one page that needs nothing but itself, beside the log where no file is named")
          ->expected(0, 1)
          ->default_str(kBesideTheLog);
  std::vector<CLI::Option*> of_one_run = {
      html,
      command->add_option("--junit", options->junit, "Write JUnit XML to this file"),
      command->add_option("--ctrf", options->ctrf, "Write CTRF JSON (ctrf.io) to this file"),
      command->add_option("--badge", options->badge, "Write the JSON of a badge (an endpoint of shields.io)"),
      command->add_flag("--diagnosis", options->diagnosis,
                        "Print, as JSON, which of the faults that this version knows the run looks like"),
      command->add_option("--since", options->since, "An earlier run: say what changed since, on the page too")};
  CLI::Option* matrix = command->add_option(
      "--matrix", options->matrix, "Show all runs beside each other, and write them as one HTML page to this file");
  for (CLI::Option* option : of_one_run) matrix->excludes(option);
  command->callback([&exit_code, options] { exit_code = Report(*options); });
}

}  // namespace zerocts
