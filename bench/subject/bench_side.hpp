// One of those that a benchmark measures: a subject, how its ranks start, and how it arranges the work.
#pragma once
#include <memory>
#include <string>

#include "bench/subject/bench_case.hpp"
#include "bench/subject/group_measurement.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

struct BenchSide {
  std::string name;  // without paths: "torch-fsdp2", "plugin:my_zero,comm=shm", "exec:home-made-zero1"
  SubjectSpec subject;
  Capabilities can;
  BenchArrangement arrangement;
  bool says_stage = false;  // among its options
};

/// "SUBJECT[,KEY=VALUE..]": stage, plan, overlap, offload and precision arrange the work, `version` chooses the release
/// of a framework, any other key is an option of the subject. A command (exec:) is taken whole. `usual` is what is not
/// said. Asks the subject what it can do. Throws UsageError.
BenchSide SideFromText(const std::string& text, const BenchArrangement& usual, const HostSettings& settings);

/// Stage 0 of the same subject on as many ranks, or one rank of it where it declares no stage 0.
struct Unsharded {
  BenchSide side;
  int ranks = 1;
  std::string label;
};
Unsharded WithoutSharding(const BenchSide& side, int ranks);

/// Its ranks stay until it is destroyed or failed.
class BenchGroup {
 public:
  BenchGroup(BenchSide side, const BenchSize& size, LauncherKind launcher, HostSettings settings)
      : side_(std::move(side)), size_(size), launcher_(launcher), settings_(std::move(settings)) {}
  /// Starts ranks where none stand. They end with the thread that calls it. Throws std::runtime_error: how they ended.
  void Start();
  /// Starts, and makes all steps; `watcher` is told of each, and the next one waits for its answer. Throws
  /// std::runtime_error: what it cannot do, or how its ranks ended.
  GroupMeasurement Run(const StepWatcher& watcher = {});
  /// Ends its ranks: the next run has others.
  void Stop();
  const BenchSize& size() const { return size_; }

 private:
  const BenchSide side_;
  const BenchSize size_;
  const LauncherKind launcher_;
  const HostSettings settings_;
  std::unique_ptr<RankGroup> group_;
};

}  // namespace zerocts
