// A subject, itself without sharding, native and the bound of the machine, measured in turns.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "bench/record/figures.hpp"
#include "bench/subject/bench_side.hpp"

namespace zerocts {

/// One line of the table. A member that failed has an error and is left out from then on.
struct BenchMember {
  std::string label;    // "torch-fsdp2, stage 3"
  std::string subject;  // as records name it
  BenchArrangement arrangement;
  int ranks = 1;
  std::vector<GroupMeasurement> rounds;  // of groups
  std::vector<double> bound_seconds;     // of the bound, which is no group; at last its best time alone
  std::string error;                     // "": none
  bool lost_ranks = false;               // they crashed or hung
  bool is_subject = false;               // it was asked for, and stands beside none
};

struct BenchPlan {
  std::vector<BenchSide> subjects;  // at least one, of one stage
  BenchSide native;
  BenchSize size;
  int rounds = 5;
  LauncherKind launcher = LauncherKind::kLocal;
  HostSettings settings;
};

/// Members in the order of the table: each subject, and the same without sharding; native, the bound. `progress` hears
/// after each round how many of all are done.
std::vector<BenchMember> MeasureMembers(const BenchPlan& plan, const std::function<void(int done, int all)>& progress);

/// Takes the best time of a bound, and measures it again while that is above what it bounds, `steps`: the median of a
/// member's steps. A machine that is too busy for that gives it an error instead of a time.
void KeepBestTime(BenchMember& bound, double steps, const std::function<void(BenchMember&)>& measure);

/// Lines for people, `first` being the first of them: times, tokens per second of training, CPU time, bytes and calls;
/// then memory at three points of the first step.
std::string TableOf(const std::vector<BenchMember>& members, const BenchSize& size);

void AddRecords(const std::vector<BenchMember>& members, const BenchSize& size, std::vector<BenchRecord>& records);

}  // namespace zerocts
