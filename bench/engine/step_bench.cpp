// The optimizer step of stages 0 to 3 on given gradients: reduce-scatter, AdamW, all-gather, beside the memory bound of
// the same run (step_bound.hpp). What is timed is Step() and the reduce-scatters that happened before it, as in stages
// 2 and 3, where a bucket is reduced as soon as its gradients are given. Those count from the moment when the last rank
// has come, because until then a rank copies given gradients into the engine, which is not part of a step. Nothing
// overlaps here. The exact norm, which only clipping and loss scaling need, is timed apart.
#include <fmt/format.h>

#include "bench/engine/engine_rank.hpp"
#include "bench/engine/program.hpp"
#include "bench/engine/spans.hpp"
#include "bench/engine/step_bound.hpp"
#include "bench/timing/statistics.hpp"
#include "bench/timing/timing.hpp"

namespace zerocts {
namespace {

constexpr int kSeveral = 2;  // ranks are timed by the wall clock, see timing.hpp

/// The reduce-scatters among `spans`, [begin, end] in ns, as every rank has them in the same order.
nlohmann::json ReductionsIn(const Spans& spans) {
  nlohmann::json reductions = nlohmann::json::array();
  for (const auto& span : spans) {
    if (span.name == std::string("reduce_scatter")) reductions.push_back({span.begin_ns, span.end_ns});
  }
  return reductions;
}

/// [steps]: seconds from the moment when the last rank came to the moment when the last rank left, of all reductions.
std::vector<double> SecondsTogether(const std::vector<nlohmann::json>& ranks, const char* field) {
  std::vector<double> seconds;
  for (size_t step = 0; step < ranks.front().at(field).size(); ++step) {
    int64_t ns = 0;
    for (size_t i = 0; i < ranks.front().at(field)[step].size(); ++i) {
      int64_t begin = 0, end = 0;
      for (const nlohmann::json& rank : ranks) {
        begin = std::max(begin, rank.at(field)[step][i][0].get<int64_t>());
        end = std::max(end, rank.at(field)[step][i][1].get<int64_t>());
      }
      ns += end - begin;
    }
    seconds.push_back(1e-9 * static_cast<double>(ns));
  }
  return seconds;
}

/// One rank's series, [steps] of seconds each.
nlohmann::json MeasureRank(const std::string& transport, const Workload& workload, int64_t steps,
                           engine::TestRank& self) {
  const engine::EngineSettings settings = SettingsOf(workload);
  const TensorValues values(settings, 1 + static_cast<uint64_t>(self.rank));
  EngineRank rank(transport, self, workload, settings, values.initial());
  StepBound bound(workload, NumelOf(settings), self.settings.world_size);

  nlohmann::json series;
  const auto add = [&](const char* name, int64_t step, double seconds) {
    if (step > 0) series[name].push_back(seconds);  // the first one warms up
  };
  const auto at_once = [&](const auto& operation) {
    rank.comm().Barrier("start");
    return SecondsOf(kSeveral, operation);
  };
  for (int64_t step = 0; step <= steps; ++step) {
    rank.engine().timeline().Take();
    rank.engine().Accumulate(step, 0, values.gradients());
    const nlohmann::json before = ReductionsIn(rank.engine().timeline().Take());
    const double alone = at_once([&] { rank.engine().Step(step); });
    const auto spans = rank.engine().timeline().Take();
    if (step > 0) series["before"].push_back(before);
    add("alone", step, alone);
    const double reduced = SecondsIn(spans, "reduce_scatter"), norm = SecondsIn(spans, "norm"),
                 gathered = SecondsIn(spans, "all_gather");
    add("reduced", step, reduced);
    add("norm", step, norm);
    add("update", step, alone - reduced - norm - gathered);  // nothing overlaps
    add("all_gather", step, gathered);
    const double reduce = at_once([&] { bound.ReduceScatter(); });
    const double update = at_once([&] { bound.Update(); });
    const double gather = at_once([&] { bound.AllGather(); });
    add("bound_reduce_scatter", step, reduce);
    add("bound_update", step, update);
    add("bound_all_gather", step, gather);
  }
  series["bytes"] = bound.bytes().total();
  return series;
}

nlohmann::json Measure(const std::string& transport, const Workload& workload, const ProgramOptions& options) {
  const auto ranks = OnRanks(transport, options.ranks, [&](engine::TestRank& self) {
    return MeasureRank(transport, workload, options.steps, self);
  });
  nlohmann::json result = {{"transport", transport},
                           {"precision", ToString(workload.precision)},
                           {"stage", workload.stage},
                           {"bytes_per_rank", ranks.front().at("bytes")}};
  for (const char* part : {"norm", "update", "all_gather"}) result[part] = SlowestRank(ranks, part);
  std::vector<double> step = SlowestRank(ranks, "alone"), reduce = SlowestRank(ranks, "reduced");
  const std::vector<double> before = SecondsTogether(ranks, "before");
  for (size_t i = 0; i < step.size(); ++i) {
    step[i] += before[i];
    reduce[i] += before[i];
  }
  result["step"] = step;
  result["reduce_scatter"] = reduce;
  std::vector<double> bound(step.size());
  for (const char* part : {"bound_reduce_scatter", "bound_update", "bound_all_gather"}) {
    result[part] = SlowestRank(ranks, part);
    for (size_t i = 0; i < bound.size(); ++i) bound[i] += result[part][i].get<double>();
  }
  std::vector<double> ratio, ratio_without_norm;
  for (size_t i = 0; i < bound.size(); ++i) {
    ratio.push_back(step[i] / bound[i]);
    ratio_without_norm.push_back(ratio.back() - result["norm"][i].get<double>() / bound[i]);
  }
  result["bound"] = bound;
  result["ratio"] = ratio;
  result["ratio_without_norm"] = ratio_without_norm;
  return result;
}

void PrintHead() {
  fmt::print("{:<8} {:<5} {:>5} {:>8} {:>17} {:>8} {:>7} {:>15} {:>12} {:>9} {:>9} {:>9} {:>9}\n", "ranks are", "type",
             "stage", "step ms", "quartiles", "bound ms", "ratio", "quartiles", "without norm", "reduce", "norm",
             "AdamW", "gather");
}

void Print(const nlohmann::json& r) {
  const auto spread = [&](const char* part) { return SpreadOf(r.at(part).get<std::vector<double>>()); };
  const auto ms = [&](const char* part) { return 1e3 * spread(part).median; };
  const Spread step = spread("step"), ratio = spread("ratio");
  fmt::print(
      "{:<9} {:<5} {:>5} {:>8.1f} {:>17} {:>8.1f} {:>7.2f} {:>15} {:>12.2f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n",
      r.at("transport").get<std::string>(), r.at("precision").get<std::string>(), r.at("stage").get<int>(),
      1e3 * step.median, fmt::format("{:.1f}..{:.1f}", 1e3 * step.quarter, 1e3 * step.three_quarters), ms("bound"),
      ratio.median, fmt::format("{:.2f}..{:.2f}", ratio.quarter, ratio.three_quarters),
      spread("ratio_without_norm").median, ms("reduce_scatter"), ms("norm"), ms("update"), ms("all_gather"));
  fmt::print("{:<9} {:<5} {:>5} {:>60} {:>31.1f} {:>9} {:>9.1f} {:>9.1f}\n", "", "", "", "", ms("bound_reduce_scatter"),
             "", ms("bound_update"), ms("bound_all_gather"));
  std::fflush(stdout);
}

void AddFigures(const Parameters& parameters, const nlohmann::json& result, Figures& figures) {
  const auto series = [&](const char* part) { return result.at(part).get<std::vector<double>>(); };
  figures.AddTime("optimizer_step", parameters, series("step")).bound =
      RecordedBound{"memory", MedianOf(series("bound"))};
  for (const char* part : {"reduce_scatter", "norm", "update", "all_gather"}) {
    Parameters of_part = parameters;
    of_part["part"] = part;
    BenchRecord& record = figures.AddTime("optimizer_step_part", of_part, series(part));
    const std::string bound = std::string("bound_") + part;
    if (result.contains(bound)) record.bound = RecordedBound{"memory", MedianOf(series(bound.c_str()))};
  }
}

int Main(int argc, char** argv) {
  CLI::App program("The optimizer step of each stage, beside the memory bound of the same run.", "step_bench");
  ProgramOptions options{.precisions = {"fp32", "bf16"}, .steps = 15};
  std::vector<std::string> transports = {"threads", "shm"};
  AddOptions(program, options);
  program.add_option("--transport", transports, "Ranks are threads (threads), processes (shm)")
      ->delimiter(',')
      ->check(CLI::IsMember({"threads", "shm"}))
      ->capture_default_str();
  return RunProgram(program, argc, argv, [&] {
    Figures figures;
    fmt::print("{}\n{} on {} ranks, {} steps; medians; below each line the bound of its parts\n\n", Circumstances(),
               options.model, options.ranks, options.steps);
    PrintHead();
    for (const std::string& transport : transports) {
      for (const Precision precision : options.AllPrecisions()) {
        for (const int stage : options.stages) {
          const Workload workload{.model = options.model, .precision = precision, .stage = stage, .plan = options.plan};
          Parameters parameters = ParametersOf(options, workload);
          parameters["transport"] = transport;
          figures.Try("optimizer_step", parameters, [&] {
            const nlohmann::json result = Measure(transport, workload, options);
            Print(result);
            AddFigures(parameters, result, figures);
          });
        }
      }
    }
    return WriteRecords(options, figures);
  });
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) { return zerocts::Main(argc, argv); }
