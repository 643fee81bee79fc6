#include "conformance/plans/plan_fuzz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/plans/fuzz/corpus.hpp"
#include "conformance/plans/fuzz/fuzz_run.hpp"
#include "conformance/plans/fuzz/planner.hpp"
#include "conformance/plans/fuzz/report.hpp"
#include "conformance/report/log/log_lock.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {
namespace {

std::vector<FuzzProperty> AskedProperties(const PlanFuzzOptions& options) {
  std::vector<FuzzProperty> properties = FuzzProperties(options.growth);
  for (const std::string& name : options.without) {
    if (std::erase_if(properties, [&](const FuzzProperty& property) { return property.name == name; }) > 0) continue;
    std::string names;
    for (const FuzzProperty& property : properties) names += (names.empty() ? "" : ", ") + property.name;
    throw UsageError(fmt::format("--without: expected some of {}, got '{}'", names, name));
  }
  return properties;
}

/// An empty file for what the planner writes to its standard error.
std::string EmptyFileIn(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "planner.log").string();
  if (ReplaceFile(path, {}) != 0)
    throw UsageError(fmt::format("--out: expected a folder that can be written to, {} cannot be made", path));
  return std::filesystem::absolute(path).string();
}

FuzzSettings SettingsOf(const PlanFuzzOptions& options) {
  FuzzSettings settings{.properties = AskedProperties(options), .seed = options.seed, .cases = options.cases};
  if (!options.corpus.empty()) settings.corpus = RequestsIn(options.corpus);
  settings.space.most_tensors = options.most_tensors;
  settings.space.most_ranks = options.most_ranks;
  settings.space.stages = options.stages;
  settings.space.buckets = options.buckets;
  settings.space.alignments = options.alignments;
  settings.space.balance = options.balance;
  settings.space.options = options.options;
  return settings;
}

}  // namespace

PlanFuzzReport FuzzPlanner(const PlanFuzzOptions& options) {
  const FuzzSettings settings = SettingsOf(options);
  if (settings.cases == 0 && settings.corpus.empty())
    throw UsageError("--cases 0: expected a corpus with it, or there is nothing to ask");
  std::error_code failed;  // the lock says it
  std::filesystem::create_directories(options.out, failed);
  const LogLock lock(options.out);
  const MakePlanner make = PlannerNamed(options.planner, options.deadline, EmptyFileIn(options.out));
  const NotedInterrupts interrupts;
  const FuzzOutcome outcome = RunFuzz(make, settings);
  if (outcome.end && CannotStart(options.planner, outcome.end->what))
    throw UsageError(fmt::format("--planner {}: it {}", options.planner, outcome.end->what));
  const SavedRun run = Saved(outcome, settings, options);
  return {FuzzText(run), FuzzJson(run), FuzzJUnit(run), run.exit_code()};
}

}  // namespace zerocts
