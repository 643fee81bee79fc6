// zerocts bench: one table for each number of ranks and stage.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <thread>

#include "bench/record/record_file.hpp"
#include "bench/subject/subject_bench.hpp"
#include "bench/subject/subject_measurement.hpp"
#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"

namespace zerocts {
namespace {

/// Copies of unsharded state: each subject's, native's, the bound's.
int CopiesFor(size_t subjects) { return static_cast<int>(subjects) + 2; }

int64_t StepsOf(const BenchOptions& options) { return options.steps.value_or(5); }
int RoundsOf(const BenchOptions& options) { return options.rounds.value_or(5); }

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

std::vector<BenchSide> SubjectsOf(const BenchOptions& options, const HostSettings& settings) {
  std::vector<BenchSide> subjects;
  for (const std::string& text : options.subjects) {
    BenchSide subject = SideFromText(text, ArrangementOf(options), settings);
    if (std::ranges::find(subjects, subject.name, &BenchSide::name) != subjects.end()) {
      throw UsageError(fmt::format("--subject {}: expected subjects that differ, got it twice", text));
    }
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

/// The first of `stages` that a subject declares.
int FirstStageOf(const BenchSide& subject, const std::vector<int>& stages) {
  const auto declared = std::ranges::find_if(stages, [&](int stage) { return Contains(subject.can.stages, stage); });
  if (declared != stages.end()) return *declared;
  throw UsageError(
      fmt::format("--stage {}: expected a stage that {} declares ({}), got none; nothing would be measured",
                  fmt::join(stages, ","), subject.name, fmt::join(subject.can.stages, ", ")));
}

/// Those that were asked for; else all that any subject declares.
std::vector<int> StagesOf(const BenchOptions& options, const std::vector<BenchSide>& subjects) {
  if (!options.stages.empty()) return options.stages;
  std::set<int> declared;
  for (const BenchSide& subject : subjects) declared.insert(subject.can.stages.begin(), subject.can.stages.end());
  return {declared.begin(), declared.end()};
}

/// Those that declare the stage, arranged for it.
std::vector<BenchSide> InStage(std::vector<BenchSide> subjects, int stage) {
  std::erase_if(subjects, [&](const BenchSide& subject) { return !Contains(subject.can.stages, stage); });
  for (BenchSide& subject : subjects) subject.arrangement.stage = stage;
  return subjects;
}

void PrintTitle(const BenchOptions& options, const std::vector<BenchSide>& subjects, int ranks, int stage) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<std::string> names;
  for (const BenchSide& subject : subjects) names.push_back(subject.name);
  fmt::print("\n{} on {} rank{}, stage {}, {} {} in {}: {} rounds of {} steps in turns; medians\n",
             fmt::join(names, ", "), ranks, ranks == 1 ? "" : "s", stage,
             options.trains ? "training" : "steps on given gradients of", options.model, options.precision,
             RoundsOf(options), StepsOf(options));
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
  BenchPlan plan{
      .size = {.model = BenchModelNamed(options.model), .steps = StepsOf(options) + 1, .trains = options.trains},
      .rounds = RoundsOf(options),
      .launcher = LauncherKindFromString(options.launcher),
      .settings = SettingsOf(options, folder.path())};
  const std::vector<BenchSide> subjects = SubjectsOf(options, plan.settings);
  plan.native = SideFromText("native", ArrangementOf(options), plan.settings);
  const std::vector<int> stages = StagesOf(options, subjects);
  for (const BenchSide& subject : subjects) {  // refuses what is wrong before anything starts
    BenchCase(subject.can, {.stage = FirstStageOf(subject, stages)}, plan.size);
  }
  for (const int ranks : options.ranks) {
    plan.size.ranks = ranks;
    for (const BenchSide& subject : subjects) ExpectRoom(subject.arrangement, plan.size, CopiesFor(subjects.size()));
  }
  if (!options.out.empty()) AppendRecords(options.out, {});  // refuses a file before anything is measured, too
  Progress progress(options.ranks.size() * stages.size());
  int exit_code = 0;
  for (const int ranks : options.ranks) {
    for (const int stage : stages) {
      plan.size.ranks = ranks;
      plan.subjects = InStage(subjects, stage);
      plan.native.arrangement.stage = stage;
      if (plan.subjects.empty()) {
        fmt::print("\nstage {}: no subject declares it\n", stage);
        progress.NextPart();
        continue;
      }
      const auto members = MeasureMembers(plan, [&](int done, int all) { progress.Round(done, all); });
      PrintTitle(options, plan.subjects, ranks, stage);
      fmt::print("{}", TableOf(members, plan.size));
      std::fflush(stdout);
      std::vector<BenchRecord> records;
      AddRecords(members, plan.size, records);
      if (!options.out.empty()) AppendRecords(options.out, records);
      for (const BenchMember& member : members) {
        if (member.is_subject && !member.error.empty() && exit_code != kExitHarnessError)
          exit_code = member.lost_ranks ? kExitCrashOrHang : kExitHarnessError;
      }
      progress.NextPart();
    }
  }
  return exit_code;
}

}  // namespace zerocts
