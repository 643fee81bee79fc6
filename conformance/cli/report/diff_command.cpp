// zerocts diff A B: what changed from one run of zerocts check to another, or where two training runs part first.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/report/run_logs.hpp"
#include "conformance/cli/report/trace_diff.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/report/view/run_diff.hpp"

namespace zerocts {

namespace {

constexpr int kEqualExit = 0, kDifferentExit = 1, kNoVerdictExit = 6;

/// What is different goes before what is missing: a difference is one, however the traces go on.
int DiffTraces(const Trace& a, const Trace& b) {
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

RunView TheRun(const std::string& path) {
  const std::vector<std::string> logs = LogsOf(path);
  if (logs.size() == 1) return ViewOfLog(logs.front());
  throw UsageError(fmt::format("expected one run, got {} with {}; name the folder of one of them", path, logs.size()));
}

int DiffRuns(const std::string& a, const std::string& b) {
  const RunDiff diff = DiffOf(TheRun(a), TheRun(b));
  fmt::print("{}", DiffText(diff, StandardOutputHasColor()));
  return diff.exit_code();
}

const char* NameOf(FileKind kind) {
  switch (kind) {
    case FileKind::kRun: return "a run of zerocts check";
    case FileKind::kTrace: return "a trace of zerocts train";
    case FileKind::kMissing: return "not there";
    case FileKind::kOther: break;
  }
  return "neither";
}

int Diff(const std::string& a, const std::string& b) {
  const FileKind kind_a = KindOf(a), kind_b = KindOf(b);
  if (kind_a == FileKind::kRun && kind_b == FileKind::kRun) return DiffRuns(a, b);
  if (kind_a != kind_b) {
    throw UsageError(fmt::format(
        "expected two runs of zerocts check or two traces of zerocts train, got {}, which is {}, and {}, which is {}",
        a, NameOf(kind_a), b, NameOf(kind_b)));
  }
  return DiffTraces(ReadTrace(a), ReadTrace(b));
}

}  // namespace

void AddDiffCommand(CLI::App& program, int& exit_code) {
  struct Options {
    std::string a, b;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "diff",
      "What changed from one run to another: exit 0 nothing worse, 1 newly failing or lost, 3 where a log proves no "
      "verdict; or the first difference of two traces of zerocts train: exit 0 equal, 1 different, 6 equal but cut");
  command->add_option("A", options->a, "A run's folder or its results.ndjson, or a trace")->required();
  command->add_option("B", options->b, "The later run, or the other trace")->required();
  command->callback([options, &exit_code] { exit_code = Diff(options->a, options->b); });
}

}  // namespace zerocts
