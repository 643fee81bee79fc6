// What one rank showed while it ran a case, and what a group of ranks made of it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// Program order of a step; the first divergence is the first in this order.
enum class Phase { kLoad, kMicroBatch, kGradient, kReduce, kNorm, kUpdate, kGather, kResume };
std::string ToString(Phase phase);

struct Interval {
  int64_t begin = 0, end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Behind intervals that ascend; one that touches the last becomes a part of it.
inline void AppendJoined(const Interval& interval, std::vector<Interval>& intervals) {
  if (!intervals.empty() && intervals.back().end == interval.begin) {
    intervals.back().end = interval.end;
  } else {
    intervals.push_back(interval);
  }
}

/// One piece of one tensor at one moment. `values` holds fp32; bf16 tensors are widened (exactly).
/// A large piece travels as its hash first: then values is empty until the conductor fetched it.
struct TensorRecord {
  int64_t step = -1;  // -1: after load, before the first step
  Phase phase = Phase::kGather;
  std::string what;  // "parameter", "parameter_again" (second read), "parameter_before_step", "master", "momentum",
                     // "exp_avg", "exp_avg_sq", "gradient"; after a load AfterResume of a parameter or state
  int parameter = 0;
  Interval interval;  // elements of the parameter
  std::string hash;   // HashOf the values
  std::vector<float> values;
};

/// When a tensor is made: the phase of a record, from what it is.
Phase PhaseOf(const std::string& what, int64_t step);

struct StepScalars {
  int64_t step = 0;
  float grad_norm = 0, clip_coefficient = 1;
  std::vector<double> losses;  // kModel: one per micro-batch of this rank
  bool skipped = false;        // under loss scaling: a gradient was not finite
  float loss_scale = 1;        // by which this step's gradients were multiplied
};

/// What one rank moved in one step, reads left out; calls are of its transport.
struct StepTraffic {
  struct Count {
    uint64_t calls = 0, sent_bytes = 0, received_bytes = 0;
    Count& operator+=(const Count& more);
    friend bool operator==(const Count&, const Count&) = default;
  };
  int64_t step = 0;
  Count reduce_scatter, all_gather, all_reduce, broadcast;
  friend bool operator==(const StepTraffic&, const StepTraffic&) = default;
};
inline StepTraffic::Count& StepTraffic::Count::operator+=(const Count& more) {
  calls += more.calls;
  sent_bytes += more.sent_bytes;
  received_bytes += more.received_bytes;
  return *this;
}

struct Collective {
  const char* name;
  StepTraffic::Count StepTraffic::*count;
};
inline constexpr Collective kCollectives[] = {{"reduce_scatter", &StepTraffic::reduce_scatter},
                                              {"all_gather", &StepTraffic::all_gather},
                                              {"all_reduce", &StepTraffic::all_reduce},
                                              {"broadcast", &StepTraffic::broadcast}};

/// What was seen to pass between a rank and others in one step, reads left out: on its TCP connections, and through the
/// host's set and get.
struct SeenTraffic {
  int64_t step = 0;
  uint64_t sent_bytes = 0, received_bytes = 0;
  friend bool operator==(const SeenTraffic&, const SeenTraffic&) = default;
};

/// Something that lasted, on the rank's steady clock.
struct TimelineSpan {
  int64_t step = 0;  // -1: before the first step
  std::string name;  // "forward", "backward", "reduce_scatter", "all_gather", "all_reduce", "step"
  int index = -1;    // unit of the model, or bucket; -1: the whole
  int64_t begin_ns = 0, end_ns = 0;
  friend bool operator==(const TimelineSpan&, const TimelineSpan&) = default;
};

enum class EventKind { kBegin = 1, kEnd = 2, kCollective = 3, kWait = 4 };  // as in zerocts_subject.h

/// What the rank's thread asked a queue for, or what a queue waits for, whatever the clock says.
struct RankEvent {
  static constexpr int64_t kOutsideOfSteps = -1;

  int64_t step = 0;  // kOutsideOfSteps: for a read
  EventKind kind = EventKind::kBegin;
  std::string name;      // "forward", "backward", "reduce_scatter", "all_gather", "all_reduce"; "" for a wait
  int index = -1;        // unit of the model, or bucket
  int queue = 0;         // 0: the rank's thread
  int64_t awaited = -1;  // by a wait: an index into RankObservation::events
  friend bool operator==(const RankEvent&, const RankEvent&) = default;
};

struct MemoryReading {
  uint64_t parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0, buffer_bytes = 0;
  uint64_t total() const { return parameter_bytes + gradient_bytes + optimizer_bytes + buffer_bytes; }
  friend bool operator==(const MemoryReading&, const MemoryReading&) = default;
};

/// What a subject that declares "memory_estimate" says beyond what it holds.
struct MemoryPlan {
  MemoryReading estimated;  // between two steps, from the settings alone
  uint64_t estimated_peak_bytes = 0, peak_bytes = 0;
  uint64_t offloaded_bytes = 0;  // of what it holds, on the host
  friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

/// One call of the subject that does a step's work, on the clock that all ranks of a machine share.
struct CallTime {
  int64_t step = 0;
  std::string call;  // "accumulate", "forward_backward", "step"
  int micro_batch = -1;
  int64_t begin_ns = 0, end_ns = 0;
  int64_t cpu_ns = 0;  // of the process; of the thread where ranks are threads
  friend bool operator==(const CallTime&, const CallTime&) = default;
};

/// What a rank holds at points of its first step, and after a step in the middle and the last one.
struct MemoryPoint {
  std::string point;                        // "open", "before_step", "after_step", "middle", "end"
  MemoryReading reported, allocated;        // as the subject says, as the host's alloc counts
  uint64_t held_bytes = 0, peak_bytes = 0;  // of the whole process, seen from outside: now, and since the last point
  std::optional<uint64_t> heap_bytes{};     // in use in its heap (mallinfo2); none where nobody looked
  friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

/// The step after which the point "middle" is; 0: too few steps for a middle and an end.
inline int64_t MiddleStep(int64_t steps) { return steps > 2 ? steps / 2 : 0; }

/// What there is after a call that does a step's work, the suite's own part left out.
struct Resources {
  static constexpr int64_t kNotRead = -1;

  int64_t step = 0;
  std::string call;                                   // as in CallTime
  int64_t cpu_ns = kNotRead;                          // of the call, as in CallTime
  int64_t blocks = kNotRead, block_bytes = kNotRead;  // of the host's alloc, that this rank holds
  int64_t objects = kNotRead;                         // of the rank's language, such as Python
  int64_t heap_bytes = kNotRead;                      // in use in the process's heap (mallinfo2)
  int64_t mapped_bytes = kNotRead;                    // of the process's address space
  int64_t files = kNotRead, threads = kNotRead;       // of the process
  friend bool operator==(const Resources&, const Resources&) = default;
};

/// Steps before this one warm up: caches fill, threads begin.
inline int64_t FirstSteadyStep(int64_t steps) { return std::max<int64_t>(steps / 4, 10); }

/// What there is more of after the last step than after the first steady one.
struct Grown {
  std::string what;             // "block of optimizer memory", "torch.Tensor"
  int64_t bytes = 0, more = 0;  // of one; how many
  friend bool operator==(const Grown&, const Grown&) = default;
};

struct RankObservation {
  int rank = 0;
  std::string input_hash;                    // of initial values and of all gradients or batches that were fed
  std::vector<std::vector<Interval>> owned;  // [parameters], after load (stage 0: everything)
  std::vector<TensorRecord> tensors;
  std::vector<StepScalars> scalars;
  int64_t extra_calls = 0;            // that were made, of the case's
  MemoryReading reported;             // what the subject says, after the last step
  MemoryReading allocated;            // what the host's alloc counted, after the last step
  uint64_t allocated_peak_bytes = 0;  // the most that its sum over the kinds was since open
  std::optional<MemoryPlan> memory_plan;
  std::vector<StepTraffic> traffic;        // where the case observes it
  std::vector<SeenTraffic> seen_traffic;   // as above, of ranks whose client looks on
  std::vector<TimelineSpan> timeline;      // as above; by step, ascending by begin
  std::vector<RankEvent> events;           // as above, in the order of asking
  std::vector<int> bucket_of_parameter;    // as above; -1: it travels in none
  std::vector<CallTime> calls;             // where the case observes its profile; in order of time
  std::vector<MemoryPoint> memory_points;  // as above
  std::vector<Resources> resources;        // where the case observes them; in order of time
  std::vector<Grown> grown;                // as above; most first
  // Read from outside: growth of this process's heap (mallinfo2) since before its first case that observes memory,
  // observations left out, just before and after the subject was asked; and what that first case left behind. With
  // ranks as threads it is the process's, the same number on each rank, and ranks_in_process > 1.
  uint64_t process_heap_growth_bytes = 0, process_heap_left_bytes = 0;
  // The same of the memory that the kernel counts for all processes of the rank; none where nobody looked.
  std::optional<uint64_t> process_growth_bytes;
  uint64_t process_left_bytes = 0;
  uint64_t process_file_bytes = 0;  // that they wrote to files or read from them in a step, whichever is more
  std::vector<std::string> unread;  // "/proc/PID/io": what the kernel does not show, so that these are not whole
  int ranks_in_process = 1;
};

/// How a run of a case on a group ended.
enum class Ending {
  kObserved,      // every rank gave an observation
  kUnsupported,   // the subject does not declare what the case needs; nothing was run
  kRefused,       // the subject declared it and returned an error
  kCrash,         // a rank died by a signal or with a non-zero exit code
  kEarlyExit,     // a rank ended with exit code 0 before the case was done
  kHang,          // deadline passed: some ranks did not answer
  kGarbage,       // a rank sent what the protocol does not know
  kDisagreement,  // ranks ended differently (one refused, another observed), or their inputs differ
  kBreach,  // a rank broke a rule of the interface that no result shows: it wrote outside of its room, kept memory,
            // or changed how its thread computes
};
std::string ToString(Ending ending);

/// One rank's end, for reports.
struct RankReport {
  int rank = 0;
  std::string state;   // "observed", "refused: ..", "killed by signal 9", "exited with 0", "stands at step 1,
                       // reduce_scatter, bucket 3"
  std::string output;  // tail of stdout and stderr
  int status = 0;      // where it refused: a status code of zerocts_subject.h
};

struct RunResult {
  Ending ending = Ending::kObserved;
  std::string message;                         // one sentence; "" when observed
  std::vector<RankObservation> ranks;          // [world_size] when observed
  std::vector<RankObservation> loading_ranks;  // of those that load what `ranks` saved, where the case is such
  std::vector<RankReport> reports;             // [world_size], of the last group
};

}  // namespace zerocts
