// Whole training steps whose layers tensor ranks split, beside the same step on one rank: how near is 1 / T? What is
// split takes turns, so that a noisy moment hits all.
#include <fmt/format.h>

#include "bench/engine/program.hpp"
#include "bench/engine/training_times.hpp"
#include "bench/timing/statistics.hpp"

namespace zerocts {
namespace {

struct Configuration {
  std::string split;  // what tensor ranks split; "nothing": one rank
  bool vocabulary = false, sequence = false;
  std::vector<double> seconds{};  // of all rounds
};

std::vector<Configuration> AllConfigurations() {
  return {{"nothing"}, {"layers"}, {"vocabulary", true}, {"sequence", false, true}, {"all", true, true}};
}

/// Sums over what is split are in as many slices on one rank.
Workload WorkloadOf(const ProgramOptions& options, Precision precision, const Configuration& c) {
  return {.model = options.model,
          .precision = precision,
          .stage = 1,
          .plan = options.plan,
          .computes = true,
          .batch = UsualBatch(options.model),
          .tensor = c.split == "nothing" ? 1 : options.ranks,
          .slices = options.ranks,
          .vocab_parallel = c.vocabulary,
          .sequence_parallel = c.sequence};
}

void MeasureAll(const ProgramOptions& options, const TurnOptions& turns, Precision precision,
                std::vector<Configuration>& configurations) {
  for (int round = 0; round < turns.rounds; ++round) {
    for (Configuration& c : configurations) {
      const Workload workload = WorkloadOf(options, precision, c);
      const TrainingTimes times = MeasureTraining(turns.transport, workload, workload.tensor, options.steps);
      c.seconds.insert(c.seconds.end(), times.seconds.begin(), times.seconds.end());
    }
  }
}

/// The median of one rank's step, divided by the number of tensor ranks.
double Ideal(const ProgramOptions& options, const std::vector<Configuration>& all) {
  return MedianOf(all.front().seconds) / options.ranks;
}

void Print(const ProgramOptions& options, const std::vector<Configuration>& all) {
  fmt::print("{:<12} {:>6} {:>10} {:>10} {:>17} {:>20}\n", "split", "ranks", "step ms", "least", "quartiles",
             "to one rank's / T");
  for (const Configuration& c : all) {
    const Spread spread = SpreadOf(c.seconds);
    const bool whole = c.split == "nothing";
    fmt::print("{:<12} {:>6} {:>10.1f} {:>10.1f} {:>17} {:>20}\n", c.split, whole ? 1 : options.ranks,
               1e3 * spread.median, 1e3 * spread.least,
               fmt::format("{:.1f}..{:.1f}", 1e3 * spread.quarter, 1e3 * spread.three_quarters),
               whole ? "" : fmt::format("{:.3f}", spread.median / Ideal(options, all)));
  }
}

void AddFigures(const ProgramOptions& options, const std::string& transport, Precision precision,
                const std::vector<Configuration>& all, Figures& figures) {
  for (const Configuration& c : all) {
    Parameters parameters = ParametersOf(options, WorkloadOf(options, precision, c));
    parameters["transport"] = transport;
    parameters["split"] = c.split;
    BenchRecord& record = figures.AddTime("tensor_parallel_step", parameters, c.seconds);
    if (c.split != "nothing") record.bound = RecordedBound{"one rank's step / T", Ideal(options, all)};
  }
}

int Main(int argc, char** argv) {
  CLI::App program("Time of a training step whose layers --ranks tensor ranks split, beside one rank.", "tensor_bench");
  ProgramOptions options{.model = "small", .steps = 3};
  TurnOptions turns;
  AddOptions(program, options);
  program.remove_option(program.get_option("--stages"));
  AddTurns(program, turns);
  return RunProgram(program, argc, argv, [&] {
    Figures figures;
    fmt::print("{}\n", Circumstances());
    for (const Precision precision : options.AllPrecisions()) {
      figures.Try("tensor_parallel_step", {{"model", options.model}, {"precision", ToString(precision)}}, [&] {
        std::vector<Configuration> all = AllConfigurations();
        MeasureAll(options, turns, precision, all);
        fmt::print("\n{} in {} on {} tensor ranks ({}), {} sequences, {} rounds of {} steps; medians\n", options.model,
                   ToString(precision), options.ranks, turns.transport, UsualBatch(options.model), turns.rounds,
                   options.steps);
        Print(options, all);
        AddFigures(options, turns.transport, precision, all, figures);
      });
    }
    return WriteRecords(options, figures);
  });
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) { return zerocts::Main(argc, argv); }
