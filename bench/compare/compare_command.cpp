// zerocts bench compare A B.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include "bench/compare/compare_records.hpp"
#include "bench/compare/compare_subjects.hpp"
#include "bench/record/record_file.hpp"
#include "bench/subject/subject_bench.hpp"
#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

constexpr int kSides = 2;
constexpr int64_t kUsualSteps = 20;  // more make a pair longer and hardly surer: pairs differ by their processes
constexpr std::chrono::seconds kProgressEvery{5};

struct CompareOptions {
  std::string first, second;
  double effect_percent = 3, confidence = 0.99;
  int budget_s = 180;
  bool markdown = false;
};

CompareSettings SettingsFrom(const CompareOptions& options) {
  return {.least_effect = options.effect_percent / 100,
          .confidence = options.confidence,
          .budget = std::chrono::seconds(options.budget_s)};
}

/// A line now and then, on standard error.
class LineNowAndThen {
 public:
  void operator()(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    if (now - said_ < kProgressEvery) return;
    fmt::print(stderr, "{}\n", text);
    said_ = now;
  }

 private:
  std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
};

constexpr const char* kRecords = ".ndjson";

/// A side that exists as a file, or is called as files of records are.
bool AreFiles(const CompareOptions& options) {
  const auto is_file = [](const std::string& text) {
    return text.ends_with(kRecords) || std::filesystem::is_regular_file(text);
  };
  if (is_file(options.first) == is_file(options.second)) return is_file(options.first);
  throw UsageError(fmt::format("compare {} {}: expected two subjects or two files of records, got one of each",
                               options.first, options.second));
}

/// The one that was asked for; else 1, or the first that it declares.
int StageOf(const BenchSide& side) {
  const int stage = side.arrangement.stage;
  return side.says_stage || Contains(side.can.stages, stage) ? stage : side.can.stages.front();
}

std::vector<ComparedBenchmark> BenchmarksOf(const BenchOptions& bench, const BenchModel& model, const BenchSide& first,
                                            const BenchSide& second, const HostSettings& settings) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  const std::vector<int> stages = bench.stages.empty() ? std::vector<int>{StageOf(first)} : bench.stages;
  std::vector<ComparedBenchmark> benchmarks;
  for (const int ranks : bench.ranks) {
    if (ranks > cores) {
      throw UsageError(
          fmt::format("--ranks {}: expected at most {}, as many as there are cores, got more; times of "
                      "oversubscribed ranks are not compared",
                      ranks, cores));
    }
    for (const int stage : stages) {
      const BenchSize size{
          .model = model, .ranks = ranks, .steps = bench.steps.value_or(kUsualSteps) + 1, .trains = bench.trains};
      BenchSide a = first, b = second;
      a.arrangement.stage = stage;
      b.arrangement.stage = bench.stages.empty() ? StageOf(second) : stage;
      ExpectRoom(a.arrangement, size, kSides);
      benchmarks.push_back({fmt::format("{}/model={}/ranks={}/stage={}", bench.trains ? "training_step" : "step",
                                        model.name, ranks, a.arrangement.stage),
                            BenchGroup(a, size, LauncherKindFromString(bench.launcher), settings),
                            BenchGroup(b, size, LauncherKindFromString(bench.launcher), settings)});
    }
  }
  return benchmarks;
}

int Say(const std::vector<ComparisonRow>& rows, const CompareOptions& options, const std::string& how) {
  const ComparisonTitles titles{options.first, options.second, how};
  fmt::print("{}", options.markdown ? MarkdownOf(rows, titles) : TextOf(rows, titles));
  std::vector<ComparisonVerdict> verdicts;
  for (const ComparisonRow& row : rows) verdicts.push_back(row.verdict);
  return ExitCodeOf(verdicts);
}

std::string IntervalsSentence(const CompareOptions& options) {
  return fmt::format("intervals hold together with {:g} % (Bonferroni)", 100 * options.confidence);
}

int CompareSubjects(const BenchOptions& bench, const CompareOptions& options) {
  if (bench.rounds) throw UsageError("--rounds: expected none beside compare, which takes pairs until they decide");
  const BenchModel model = BenchModelNamed(bench.model);
  const SessionFolder folder;
  HostSettings settings = SettingsOf(bench, folder.path());
  settings.binds_ranks = true;  // else they change places from pair to pair, which differs more than the sides do
  const BenchSide first = SideFromText(options.first, ArrangementOf(bench), settings),
                  second = SideFromText(options.second, ArrangementOf(bench), settings);
  auto benchmarks = BenchmarksOf(bench, model, first, second, settings);
  if (!bench.out.empty()) AppendRecords(bench.out, {});  // refuses a file before anything is measured, too
  const auto rows = CompareInTurns(benchmarks, SettingsFrom(options), LineNowAndThen());
  const double of_each = ConfidenceOfEach(options.confidence, static_cast<int>(benchmarks.size()));
  if (!bench.out.empty()) AppendRecords(bench.out, RatioRecords(rows, first.name, second.name, of_each));
  return Say(rows, options,
             fmt::format("paired, in turns, in one run; {}; a change counts from {:g} % on", IntervalsSentence(options),
                         options.effect_percent));
}

/// Files hold what was measured before, so nothing says how to measure, or which change of a time counts.
void ExpectNoneBesideFiles(const CLI::App& app) {
  static const std::set<std::string> kOfFiles = {"A", "B", "--confidence", "--markdown"};
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || kOfFiles.contains(option->get_name())) continue;
    throw UsageError(
        fmt::format("{}: expected none beside two files of records, which were measured before; leave it "
                    "out, or compare two subjects",
                    option->get_name()));
  }
}

int CompareFiles(const CompareOptions& options) {
  const auto rows = CompareRecords(ReadRecords(options.first), ReadRecords(options.second), options.confidence);
  return Say(
      rows, options,
      "from files: bytes and counts are judged; times of two runs are shown, and judged by comparing subjects; " +
          IntervalsSentence(options));
}

}  // namespace

void AddCompareCommand(CLI::App& program, const BenchOptions& bench, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "compare", "Is B slower than A? Exit code 0: no; 1: yes, or bytes differ; 6: the noise is too large to say");
  command->fallthrough();
  auto options = std::make_shared<CompareOptions>();
  command->add_option("A", options->first, "SUBJECT[,key=value..], or a file of records")->required();
  command->add_option("B", options->second, "What is compared with A, in the same form")->required();
  command->add_option("--least-effect", options->effect_percent, "In percent; smaller changes do not count")
      ->check(CLI::Range(0.1, 100.0))
      ->capture_default_str();
  command->add_option("--confidence", options->confidence, "Of all intervals together")
      ->check(CLI::Range(0.5, 0.9999))
      ->capture_default_str();
  command->add_option("--budget", options->budget_s, "Seconds; pairs are taken until the noise is small enough")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command->add_flag("--markdown", options->markdown, "A table for a comment on a pull request");
  command->callback([&program, &bench, &exit_code, command, options] {
    if (AreFiles(*options)) {
      ExpectNoneBesideFiles(*command);
      ExpectNoneBesideFiles(program);
      exit_code = CompareFiles(*options);
    } else {
      exit_code = CompareSubjects(bench, *options);
    }
  });
}

}  // namespace zerocts
