// CS336's memory report: what each rank holds after model initialisation, before the optimizer step and after it,
// without sharding (stage 0) and with it, split into weights, gradients and optimizer state. Ranks are processes. The
// split is the engine's own account, of all that it takes when it is made; peaks are read from outside
// (process_memory.hpp), and what they are above the account is activations and the rest of the process. A table, JSON
// and a picture.
#include <fmt/format.h>

#include <algorithm>

#include "bench/engine/engine_rank.hpp"
#include "bench/engine/program.hpp"
#include "bench/engine/stacked_bars.hpp"
#include "bench/engine/workload.hpp"
#include "conformance/host/system/process_memory.hpp"

namespace zerocts {
namespace {

constexpr const char* kPoints[] = {"after initialisation", "before the step", "after the step"};
constexpr const char* kParts[] = {"weights", "gradients", "optimizer state", "buffers", "activations and rest"};

/// Bytes of one rank at one point.
struct Reading {
  int64_t parts[5] = {};  // as in kParts
  int64_t peak = 0;       // since the point before, from outside
};

/// The rank that held most.
struct Row {
  Precision precision;
  int stage;
  Reading points[3];
};

Reading Read(const engine::Engine& engine, int64_t baseline) {
  Reading reading;
  const engine::MemoryLedger& held = engine.memory();
  const engine::MemoryKind kinds[] = {engine::MemoryKind::kParameter, engine::MemoryKind::kGradient,
                                      engine::MemoryKind::kOptimizer, engine::MemoryKind::kBuffer};
  for (size_t i = 0; i < std::size(kinds); ++i) reading.parts[i] = held[kinds[i]];
  reading.peak = TakePeakBytes() - baseline;
  reading.parts[4] = std::max<int64_t>(reading.peak - held.total(), 0);
  return reading;
}

nlohmann::json MeasureRank(const Workload& workload, engine::TestRank& self) {
  const engine::EngineSettings settings = SettingsOf(workload);
  const TensorValues values(settings, 1);
  const TokenBatch tokens = TokensOf(workload, static_cast<uint64_t>(self.rank));
  const int64_t baseline = HeldBytes();
  TakePeakBytes();
  EngineRank rank("shm", self, workload, settings, values.initial());
  nlohmann::json points;
  const auto read = [&] {
    rank.comm().Barrier("reading");
    const Reading reading = Read(rank.engine(), baseline);
    points.push_back({{"parts", reading.parts}, {"peak", reading.peak}});
    rank.comm().Barrier("read");
  };
  read();
  rank.engine().ForwardBackward(0, 0, tokens.inputs.data(), tokens.targets.data(), workload.batch,
                                ContextOf(*settings.model));
  read();
  rank.engine().Step(0);
  read();
  return points;
}

Row RowOf(const Workload& workload, const std::vector<nlohmann::json>& ranks) {
  Row row{workload.precision, workload.stage, {}};
  for (int point = 0; point < 3; ++point) {
    for (const nlohmann::json& rank : ranks) {
      const int64_t peak = rank[point].at("peak");
      if (peak <= row.points[point].peak) continue;
      row.points[point].peak = peak;
      for (int part = 0; part < 5; ++part) row.points[point].parts[part] = rank[point].at("parts")[part];
    }
  }
  return row;
}

void AddFigures(const Parameters& parameters, const Row& row, Figures& figures) {
  for (int point = 0; point < 3; ++point) {
    Parameters at = parameters;
    at["point"] = kPoints[point];
    for (int part = 0; part < 4; ++part) {  // counted by the engine; the rest and the peak are readings
      Parameters of_part = at;
      of_part["part"] = kParts[part];
      figures.AddCount("memory_held", of_part, "byte", row.points[point].parts[part]);
    }
    figures.Add("memory_peak", at, "byte", Direction::kSmaller, static_cast<double>(row.points[point].peak));
  }
}

double Gb(int64_t bytes) { return 1e-9 * static_cast<double>(bytes); }

/// The first of the same precision: stage 0, unless it was left out.
const Row& FirstOf(const std::vector<Row>& rows, Precision precision) {
  return *std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.precision == precision; });
}

void Print(const std::vector<Row>& rows) {
  fmt::print("{:<5} {:>5} {:<21}", "type", "stage", "point");
  for (const char* part : kParts) fmt::print(" {:>20}", part);
  fmt::print(" {:>8} {:>9}\n", "peak GB", "saved");
  for (const Row& row : rows) {
    for (int point = 0; point < 3; ++point) {
      const Reading& reading = row.points[point];
      fmt::print("{:<5} {:>5} {:<21}", ToString(row.precision), row.stage, kPoints[point]);
      for (const int64_t bytes : reading.parts) fmt::print(" {:>20.3f}", Gb(bytes));
      const double saved = 1.0 - Gb(reading.peak) / Gb(FirstOf(rows, row.precision).points[point].peak);
      fmt::print(" {:>8.3f} {:>7.1f} %\n", Gb(reading.peak), 100 * saved);
    }
  }
}

StackedBars PictureOf(const std::vector<Row>& rows, const std::string& subtitle) {
  StackedBars picture{"Peak memory of a rank", subtitle, "GB", {std::begin(kParts), std::end(kParts)}, {}};
  for (int point = 0; point < 3; ++point) {
    picture.bars.push_back({kPoints[point], {}});
    for (const Row& row : rows) {
      StackedBar& bar = picture.bars.emplace_back(StackedBar{
          fmt::format("{} stage {}{}", ToString(row.precision), row.stage, row.stage == 0 ? ", replicated" : ""), {}});
      for (const int64_t bytes : row.points[point].parts) bar.values.push_back(Gb(bytes));
    }
  }
  return picture;
}

int Main(int argc, char** argv) {
  CLI::App program("Peak memory of each rank at three points of a step, with and without sharding.", "memory_report");
  ProgramOptions options;
  AddOptions(program, options);
  program.remove_option(program.get_option("--steps"));  // the first step takes all there is
  return RunProgram(program, argc, argv, [&] {
    const std::string circumstances = Circumstances();
    Figures figures;
    std::vector<Row> rows;
    for (const Precision precision : options.AllPrecisions()) {
      for (const int stage : options.stages) {
        const Workload workload{.model = options.model,
                                .precision = precision,
                                .stage = stage,
                                .plan = options.plan,
                                .computes = true,
                                .batch = UsualBatch(options.model)};
        figures.Try("memory", ParametersOf(options, workload), [&] {
          rows.push_back(RowOf(workload, OnRanks("shm", options.ranks,
                                                 [&](engine::TestRank& self) { return MeasureRank(workload, self); })));
          AddFigures(ParametersOf(options, workload), rows.back(), figures);
        });
      }
    }
    const std::string subtitle = fmt::format("{}, {} sequences per rank, {} ranks; of the rank that held most",
                                             options.model, UsualBatch(options.model), options.ranks);
    fmt::print("{}\n{}; GB = 10^9 bytes\n\n", circumstances, subtitle);
    Print(rows);
    WriteOut(options, "memory_report.svg", ToSvg(PictureOf(rows, subtitle)));
    return WriteRecords(options, figures);
  });
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) { return zerocts::Main(argc, argv); }
