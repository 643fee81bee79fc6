// Whole training steps, sharded against replicated: what stages 1 to 3 cost in time, with and without overlap. The
// configurations take turns, so that a noisy moment hits all.
#include <fmt/format.h>

#include "bench/engine/program.hpp"
#include "bench/engine/training_times.hpp"
#include "bench/timing/statistics.hpp"

namespace zerocts {
namespace {

struct Configuration {
  int stage;
  bool overlap;
  std::vector<double> seconds{};  // of all rounds
};

Workload WorkloadOf(const ProgramOptions& options, Precision precision, const Configuration& c) {
  return {.model = options.model,
          .precision = precision,
          .stage = c.stage,
          .plan = options.plan,
          .computes = true,
          .overlap = c.overlap,
          .batch = UsualBatch(options.model)};
}

void MeasureAll(const ProgramOptions& options, const TurnOptions& turns, Precision precision,
                std::vector<Configuration>& configurations) {
  for (int round = 0; round < turns.rounds; ++round) {
    for (Configuration& c : configurations) {
      const TrainingTimes times =
          MeasureTraining(turns.transport, WorkloadOf(options, precision, c), options.ranks, options.steps);
      c.seconds.insert(c.seconds.end(), times.seconds.begin(), times.seconds.end());
    }
  }
}

/// Divides the configuration's median by that of another stage, with the same overlap or without any.
double Ratio(const std::vector<Configuration>& all, const Configuration& c, int stage, bool overlap) {
  for (const Configuration& other : all) {
    if (other.stage == stage && other.overlap == overlap) return MedianOf(c.seconds) / MedianOf(other.seconds);
  }
  return 0;
}

void Print(const std::vector<Configuration>& all) {
  const auto cell = [](double ratio) { return ratio > 0 ? fmt::format("{:.3f}", ratio) : ""; };
  fmt::print("{:>5} {:<8} {:>10} {:>10} {:>17} {:>12} {:>20}\n", "stage", "overlap", "step ms", "least", "quartiles",
             "to stage 0", "stage 3 to stage 2");
  for (const Configuration& c : all) {
    const Spread spread = SpreadOf(c.seconds);
    fmt::print("{:>5} {:<8} {:>10.1f} {:>10.1f} {:>17} {:>12} {:>20}\n", c.stage, c.overlap ? "on" : "off",
               1e3 * spread.median, 1e3 * spread.least,
               fmt::format("{:.1f}..{:.1f}", 1e3 * spread.quarter, 1e3 * spread.three_quarters),
               cell(Ratio(all, c, 0, false)), c.stage == 3 ? cell(Ratio(all, c, 2, c.overlap)) : "");
  }
}

void AddFigures(const ProgramOptions& options, const std::string& transport, Precision precision,
                const std::vector<Configuration>& all, Figures& figures) {
  for (const Configuration& c : all) {
    Parameters parameters = ParametersOf(options, WorkloadOf(options, precision, c));
    parameters["transport"] = transport;
    BenchRecord& record = figures.AddTime("training_step", parameters, c.seconds);
    const double ratio = Ratio(all, c, 0, false);
    if (ratio > 0) record.bound = RecordedBound{"stage 0", *record.value / ratio};
  }
}

int Main(int argc, char** argv) {
  CLI::App program("Time of a whole training step, sharded against replicated (stage 0).", "train_bench");
  ProgramOptions options{.model = "small", .steps = 3};
  TurnOptions turns;
  AddOptions(program, options);
  AddTurns(program, turns);
  return RunProgram(program, argc, argv, [&] {
    Figures figures;
    fmt::print("{}\n", Circumstances());
    for (const Precision precision : options.AllPrecisions()) {
      std::vector<Configuration> configurations;
      for (const int stage : options.stages) {
        for (const bool overlap : {false, true}) configurations.push_back({stage, overlap});
      }
      figures.Try("training_step", {{"model", options.model}, {"precision", ToString(precision)}}, [&] {
        MeasureAll(options, turns, precision, configurations);
        fmt::print("\n{} in {} on {} ranks ({}), {} sequences each, {} rounds of {} steps; medians\n", options.model,
                   ToString(precision), options.ranks, turns.transport, UsualBatch(options.model), turns.rounds,
                   options.steps);
        Print(configurations);
        AddFigures(options, turns.transport, precision, configurations, figures);
      });
    }
    return WriteRecords(options, figures);
  });
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) { return zerocts::Main(argc, argv); }
