// What one rank showed while it ran a case, and what a group of ranks made of it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/cases/case.hpp"

namespace zerocts {

/// Program order of a step; the first divergence is the first in this order.
enum class Phase { kLoad, kMicroBatch, kGradient, kReduce, kNorm, kUpdate, kGather };
std::string ToString(Phase phase);

struct Interval {
  int64_t begin = 0, end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// One piece of one tensor at one moment. `values` holds fp32; bf16 tensors are widened (exactly).
/// A large piece travels as its hash first: then values is empty until the conductor fetched it.
struct TensorRecord {
  int64_t step = -1;  // -1: after load, before the first step
  Phase phase = Phase::kGather;
  std::string what;  // "parameter", "parameter_again" (second read), "parameter_before_step", "master", "momentum",
                     // "exp_avg", "exp_avg_sq", "gradient"
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
};

struct MemoryReading {
  uint64_t parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0, buffer_bytes = 0;
};

struct RankObservation {
  int rank = 0;
  std::string input_hash;                    // of initial values and of all gradients or batches that were fed
  std::vector<std::vector<Interval>> owned;  // [parameters], after load (stage 0: everything)
  std::vector<TensorRecord> tensors;
  std::vector<StepScalars> scalars;
  MemoryReading reported;   // what the subject says, after the last step
  MemoryReading allocated;  // what the host's alloc counted, after the last step
  // Read from outside: growth of this process's heap (mallinfo2) from before open to after the last step, observations
  // left out. With ranks as threads it is the process's, the same number on each rank, and ranks_in_process > 1.
  uint64_t process_heap_growth_bytes = 0;
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
};
std::string ToString(Ending ending);

/// One rank's end, for reports.
struct RankReport {
  int rank = 0;
  std::string state;   // "observed", "refused: ..", "killed by signal 9", "exited with 0", "stands at step 1,
                       // reduce_scatter, bucket 3"
  std::string output;  // tail of stdout and stderr
};

struct RunResult {
  Ending ending = Ending::kObserved;
  std::string message;                 // one sentence; "" when observed
  std::vector<RankObservation> ranks;  // [world_size] when observed
  std::vector<RankReport> reports;     // [world_size]
  std::string case_file;               // filled by the session when the case was saved
};

}  // namespace zerocts
