// CS336's speed report: time per training step without sharding (stage 0) and with it, and where it goes. A table,
// records and a picture.
#include <fmt/format.h>

#include "bench/engine/program.hpp"
#include "bench/engine/stacked_bars.hpp"
#include "bench/engine/training_times.hpp"
#include "bench/timing/statistics.hpp"

namespace zerocts {
namespace {

struct Row {
  std::string label;
  Workload workload;
  TrainingTimes times;
};

/// The parts of a step, by name, whose median is reported in ms. "hidden" is no part of the time.
const std::vector<std::pair<const char*, double StepParts::*>> kParts = {{"forward", &StepParts::forward},
                                                                         {"backward", &StepParts::backward},
                                                                         {"communication", &StepParts::communication},
                                                                         {"optimizer and rest", &StepParts::rest}};

double MedianMs(const TrainingTimes& times, double StepParts::*part) {
  std::vector<double> values;
  for (const StepParts& parts : times.parts) values.push_back(1e3 * parts.*part);
  return MedianOf(values);
}

double StepMs(const Row& row) { return 1e3 * MedianOf(row.times.seconds); }

void Print(const std::vector<Row>& rows) {
  fmt::print("{:<24} {:>9} {:>13}", "", "step ms", "to the first");
  for (const auto& [name, part] : kParts) fmt::print(" {:>18}", name);
  fmt::print(" {:>20}\n", "hidden communication");
  for (const Row& row : rows) {
    fmt::print("{:<24} {:>9.1f} {:>13.3f}", row.label, StepMs(row), StepMs(row) / StepMs(rows.front()));
    for (const auto& [name, part] : kParts) fmt::print(" {:>18.1f}", MedianMs(row.times, part));
    fmt::print(" {:>20.1f}\n", MedianMs(row.times, &StepParts::hidden));
  }
}

StackedBars PictureOf(const std::vector<Row>& rows, const std::string& subtitle) {
  StackedBars picture{"Time per training step", subtitle, "ms", {}, {}};
  for (const auto& [name, part] : kParts) picture.parts.emplace_back(name);
  for (const Row& row : rows) {
    StackedBar& bar = picture.bars.emplace_back(StackedBar{row.label, {}});
    for (const auto& [name, part] : kParts) bar.values.push_back(std::max(MedianMs(row.times, part), 0.0));
  }
  return picture;
}

void AddFigures(const Parameters& parameters, const Row& row, Figures& figures) {
  figures.AddTime("training_step", parameters, row.times.seconds);
  for (const auto& [name, part] : kParts) {
    Parameters of_part = parameters;
    of_part["part"] = name;
    figures.Add("training_step_part", of_part, "s", Direction::kSmaller, 1e-3 * MedianMs(row.times, part));
  }
}

/// Each stage without overlap and with it; without sharding there is none.
std::vector<Workload> WorkloadsOf(const ProgramOptions& options) {
  std::vector<Workload> workloads;
  for (const Precision precision : options.AllPrecisions()) {
    for (const int stage : options.stages) {
      for (const bool overlap : {false, true}) {
        if (stage == 0 && overlap) continue;
        workloads.push_back({.model = options.model,
                             .precision = precision,
                             .stage = stage,
                             .plan = options.plan,
                             .computes = true,
                             .overlap = overlap,
                             .batch = UsualBatch(options.model)});
      }
    }
  }
  return workloads;
}

int Main(int argc, char** argv) {
  CLI::App program("Time per training step with and without sharding, and where it goes.", "speed_report");
  ProgramOptions options{.steps = 3};
  AddOptions(program, options);
  return RunProgram(program, argc, argv, [&] {
    const std::string circumstances = Circumstances();
    Figures figures;
    std::vector<Row> rows;
    for (const Workload& workload : WorkloadsOf(options)) {
      figures.Try("training_step", ParametersOf(options, workload), [&] {
        rows.push_back({fmt::format("{} stage {}{}", ToString(workload.precision), workload.stage,
                                    workload.overlap ? ", overlap" : ""),
                        workload, MeasureTraining("shm", workload, options.ranks, options.steps)});
        AddFigures(ParametersOf(options, workload), rows.back(), figures);
      });
    }
    const std::string subtitle = fmt::format("{}, {} sequences per rank, {} ranks, median of {} steps", options.model,
                                             UsualBatch(options.model), options.ranks, options.steps);
    fmt::print("{}\n{}\n\n", circumstances, subtitle);
    if (!rows.empty()) Print(rows);
    WriteOut(options, "speed_report.svg", ToSvg(PictureOf(rows, subtitle)));
    return WriteRecords(options, figures);
  });
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) { return zerocts::Main(argc, argv); }
