// CS336's speed report: time per training step without sharding (stage 0) and with it, and where it goes. A table, JSON
// and a picture.
#include <fmt/format.h>

#include "bench/program.hpp"
#include "bench/stacked_bars.hpp"
#include "bench/statistics.hpp"
#include "bench/training_times.hpp"

namespace zerocts {
namespace {

struct Row {
  std::string label;
  Workload workload;
  TrainingTimes times;
};

/// Of the parts, by name, the median in ms. "hidden" is no part of the time.
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

nlohmann::json ToJson(const Row& row) {
  nlohmann::json json = {{"stage", row.workload.stage},
                         {"overlap", row.workload.overlap},
                         {"precision", ToString(row.workload.precision)},
                         {"seconds", row.times.seconds},
                         {"hidden communication ms", MedianMs(row.times, &StepParts::hidden)}};
  for (const auto& [name, part] : kParts) json[std::string(name) + " ms"] = MedianMs(row.times, part);
  return json;
}

int Main(int argc, char** argv) {
  CLI::App program("Time per training step with and without sharding, and where it goes.", "speed_report");
  ProgramOptions options{.steps = 3};
  AddOptions(program, options);
  return RunProgram(program, argc, argv, [&] {
    const nlohmann::json circumstances = Circumstances();
    std::vector<Row> rows;
    for (const Precision precision : options.AllPrecisions()) {
      for (const int stage : options.stages) {
        for (const bool overlap : {false, true}) {
          if (stage == 0 && overlap) continue;  // without sharding
          const Workload workload{.model = options.model,
                                  .precision = precision,
                                  .stage = stage,
                                  .plan = options.plan,
                                  .computes = true,
                                  .overlap = overlap,
                                  .batch = UsualBatch(options.model)};
          rows.push_back({fmt::format("{} stage {}{}", ToString(precision), stage, overlap ? ", overlap" : ""),
                          workload, MeasureTraining("shm", workload, options.ranks, options.steps)});
        }
      }
    }
    const std::string subtitle = fmt::format("{}, {} sequences per rank, {} ranks, median of {} steps", options.model,
                                             UsualBatch(options.model), options.ranks, options.steps);
    fmt::print("{}\n{}\n\n", Describe(circumstances), subtitle);
    Print(rows);
    nlohmann::json all = {{"circumstances", circumstances}, {"model", options.model}, {"ranks", options.ranks}};
    for (const Row& row : rows) all["results"].push_back(ToJson(row));
    WriteOut(options, "speed_report.json", all.dump(1));
    WriteOut(options, "speed_report.svg", ToSvg(PictureOf(rows, subtitle)));
    return 0;
  });
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) { return zerocts::Main(argc, argv); }
