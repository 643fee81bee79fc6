// zerocts bench: one table for each number of ranks and stage.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "bench/record/record_file.hpp"
#include "bench/subject/subject_bench.hpp"
#include "bench/subject/subject_measurement.hpp"
#include "conformance/cases/choices.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"

namespace zerocts {
namespace {

constexpr int kCopies = 3;  // of unsharded state: the subject's, native's, the bound's

/// "round 2 of 5, about 12 s left", of what a whole run takes.
class Progress {
 public:
  explicit Progress(size_t parts) : parts_(parts), begin_(std::chrono::steady_clock::now()) {}
  void Round(int done, int all) const {
    const double share = (static_cast<double>(part_) + static_cast<double>(done) / all) / static_cast<double>(parts_);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    fmt::print(stderr, "part {} of {}, round {} of {}, about {:.0f} s left\n", part_ + 1, parts_, done, all,
               spent.count() * (1 - share) / share);
  }
  void NextPart() { ++part_; }

 private:
  const size_t parts_;
  const std::chrono::steady_clock::time_point begin_;
  size_t part_ = 0;
};

std::vector<int> StagesOf(const BenchOptions& options, const Capabilities& can) {
  const std::vector<int> stages = options.stages.empty() ? can.stages : options.stages;
  if (std::ranges::any_of(stages, [&](int stage) { return Contains(can.stages, stage); })) return stages;
  throw UsageError(
      fmt::format("--stage {}: expected a stage that {} declares ({}), got none; nothing would be measured",
                  fmt::join(stages, ","), options.subject, fmt::join(can.stages, ", ")));
}

void PrintTitle(const BenchOptions& options, const std::string& subject, int ranks, int stage) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  fmt::print("\n{} on {} ranks, stage {}, {} {} in {}: {} rounds of {} steps in turns; medians\n", subject, ranks,
             stage, options.trains ? "training" : "steps on given gradients of", options.model, options.precision,
             options.rounds, options.steps);
  if (ranks > cores) {
    fmt::print(
        "OVERSUBSCRIBED: {} ranks on {} cores; their times are shown and compare nothing, CPU time, bytes and "
        "calls do\n",
        ranks, cores);
  }
}

}  // namespace

int MeasureSubject(const BenchOptions& options) {
  const SessionFolder folder;
  BenchPlan plan{.size = {.model = options.model, .steps = options.steps + 1, .trains = options.trains},
                 .rounds = options.rounds,
                 .launcher = LauncherKindFromString(options.launcher),
                 .settings = SettingsOf(folder.path())};
  plan.subject = SideFromText(options.subject, ArrangementOf(options), plan.settings);
  plan.native = SideFromText("native", ArrangementOf(options), plan.settings);
  const std::vector<int> stages = StagesOf(options, plan.subject.can);
  BenchCase(plan.subject.can, {.stage = stages.front()}, plan.size);  // refuses what is wrong before anything starts
  for (const int ranks : options.ranks) {
    plan.size.ranks = ranks;
    ExpectRoom(plan.subject.arrangement, plan.size, kCopies);
  }
  if (!options.out.empty()) AppendRecords(options.out, {});  // refuses a file before anything is measured, too
  Progress progress(options.ranks.size() * stages.size());
  bool failed = false;
  for (const int ranks : options.ranks) {
    for (const int stage : stages) {
      plan.size.ranks = ranks;
      plan.subject.arrangement.stage = plan.native.arrangement.stage = stage;
      const auto members = MeasureMembers(plan, [&](int done, int all) { progress.Round(done, all); });
      PrintTitle(options, plan.subject.name, ranks, stage);
      fmt::print("{}", TableOf(members, plan.size));
      std::fflush(stdout);
      std::vector<BenchRecord> records;
      AddRecords(members, plan.size, records);
      if (!options.out.empty()) AppendRecords(options.out, records);
      failed = failed || !members.front().error.empty();
      progress.NextPart();
    }
  }
  return failed ? kExitHarnessError : 0;
}

}  // namespace zerocts
