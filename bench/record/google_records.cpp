#include "bench/record/google_records.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/timing/statistics.hpp"
#include "reference/experiment/json_fields.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

// What stands beside counters in a benchmark of the format.
const std::set<std::string> kOwnFields = {"name",
                                          "run_name",
                                          "run_type",
                                          "repetitions",
                                          "threads",
                                          "iterations",
                                          "real_time",
                                          "cpu_time",
                                          "time_unit",
                                          "family_index",
                                          "label",
                                          "error_occurred",
                                          "error_message",
                                          "repetition_index",
                                          "aggregate_name",
                                          "aggregate_unit",
                                          "per_family_instance_index"};
// Counters that are a bound of another one, or of the time.
const std::set<std::string> kBoundsOfRates = {"bound", "peer", "openblas"};
constexpr const char* kBoundOfTime = "promised s";
// Counters that are no rate: what they are divided by, and lower is better.
constexpr const char* kTimePerElement = "s/element";
constexpr const char* kPeakMemory = "peak MB";

double SecondsPer(const std::string& unit, const std::string& path) {
  static const std::map<std::string, double> units = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  const auto found = units.find(unit);
  if (found == units.end()) ThrowUnexpected(path, "ns, us, ms or s", unit);
  return found->second;
}

double Number(const json& run, const std::string& name, const std::string& path) {
  if (!run.contains(name) || !run.at(name).is_number()) {
    ThrowUnexpected(path + "." + name, "a number", run.contains(name) ? run.at(name) : json());
  }
  return run.at(name);
}

/// All repetitions of one benchmark.
struct Repetitions {
  std::vector<double> seconds;
  std::map<std::string, std::vector<double>> counters;
  std::string error;
};

void AddRun(const json& run, const std::string& path, Repetitions& all) {
  if (run.value("error_occurred", false)) {
    all.error = run.value("error_message", "Google Benchmark tells no reason");
    return;
  }
  const std::string unit = run.value("time_unit", "ns");
  all.seconds.push_back(Number(run, "real_time", path) * SecondsPer(unit, path + ".time_unit"));
  for (const auto& [name, value] : run.items()) {
    if (!kOwnFields.contains(name) && value.is_number()) all.counters[name].push_back(value);
  }
}

void AddCounters(const std::string& what, const Repetitions& all, Figures& figures) {
  const auto bound = std::find_if(all.counters.begin(), all.counters.end(),
                                  [](const auto& counter) { return kBoundsOfRates.contains(counter.first); });
  for (const auto& [name, values] : all.counters) {
    if (kBoundsOfRates.contains(name) || name == kBoundOfTime) continue;
    const bool is_time = name == kTimePerElement, is_memory = name == kPeakMemory;
    const std::string unit = is_time ? "s" : is_memory ? "MB" : name.ends_with("/s") ? name : "1";
    const Direction direction = is_time || is_memory ? Direction::kSmaller : Direction::kBigger;
    BenchRecord& record = figures.Add(what + ":" + name, Parameters::object(), unit, direction, MedianOf(values));
    record.samples = values;
    if (bound != all.counters.end() && name.ends_with("/s")) {
      record.bound = RecordedBound{bound->first, MedianOf(bound->second)};
    }
  }
}

void AddBenchmark(const std::string& what, const Repetitions& all, Figures& figures) {
  if (!all.error.empty()) {
    figures.AddError(what, Parameters::object(), all.error);
    return;
  }
  BenchRecord& time = figures.AddTime(what, Parameters::object(), all.seconds);
  if (all.counters.contains(kBoundOfTime))
    time.bound = RecordedBound{"promised", MedianOf(all.counters.at(kBoundOfTime))};
  AddCounters(what, all, figures);
}

}  // namespace

Figures FiguresOfGoogle(const std::string& program, const json& output) {
  JsonFields fields(output, "output");
  std::vector<std::string> names;  // as they ran
  std::map<std::string, Repetitions> benchmarks;
  for (const json& run : fields.Array("benchmarks")) {
    const std::string path = "output.benchmarks[" + std::to_string(benchmarks.size()) + "]";
    JsonFields of_run(run, path);
    if (run.value("run_type", "iteration") != "iteration") continue;  // means of the others
    const std::string name = of_run.Text(run.contains("run_name") ? "run_name" : "name");
    if (!benchmarks.contains(name)) names.push_back(name);
    AddRun(run, path, benchmarks[name]);
  }
  if (names.empty()) ThrowUnexpected("output.benchmarks", "at least one benchmark", output.at("benchmarks"));
  Figures figures;
  for (const std::string& name : names) AddBenchmark(program + "/" + name, benchmarks[name], figures);
  return figures;
}

}  // namespace zerocts
