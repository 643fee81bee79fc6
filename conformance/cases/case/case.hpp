// A case: one experiment on one arrangement of ranks, and what is observed. A value: printed, saved as JSON, replayed,
// shrunk.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case/arrangement.hpp"
#include "conformance/cases/case/checkpoint.hpp"
#include "conformance/cases/case/extra_call.hpp"
#include "conformance/cases/case/invalid_request.hpp"
#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// How much equality a clause requires (DESIGN section 2).
enum class Fidelity { kBitwise, kDeclaredOrder, kExactInputs, kSelfParity, kBounded };
std::string ToString(Fidelity fidelity);  // "bitwise", "declared order", "exact inputs", ..
Fidelity FidelityFromString(const std::string& name);

/// In which order parameters are read after a step (every rank in the same order).
enum class ReadOrder { kForward, kReversed, kShuffled };
std::string ToString(ReadOrder order);  // "forward", "reversed", "shuffled"
ReadOrder ReadOrderFromString(const std::string& name);

struct Case {
  std::string clause;  // "C-ZERO-001"
  Fidelity fidelity = Fidelity::kExactInputs;
  Experiment experiment;  // its world_size counts the ranks that have data of their own

  // Arrangement
  int stage = 1;
  std::string plan;                           // "" = the subject's own
  uint64_t bucket_cap_bytes = 0;              // 0 = the subject's own
  std::string reduction_order = "any";        // "any", "rank", "ring", "tree"; "probed": a run on probe data reveals it
  bool poison_memory = true;                  // fresh memory holds NaN; false: zeros
  int replicas = 1;                           // sharding groups that hold the same; divides the data ranks
  int tensor = 1;                             // ranks that split the layers among themselves, on the same data
  PartSizes tensor_parts = PartSizes::kEven;  // of what they split
  GradientSync gradient_sync = GradientSync::kLastMicroBatch;
  Overlap overlap = Overlap::kAny;
  Offload offload = Offload::kNone;
  bool missing_as_null = true;  // gradients that the experiment does not have are given as NULL; false: as zeros
  std::optional<Checkpoint> checkpoint;
  std::vector<ExtraCall> extra_calls;  // in the order in which they are made; ascending by step and micro-batches

  // Observation
  ReadOrder read_order = ReadOrder::kForward;
  bool read_before_step = false;   // also read the parameters after the last accumulate: still the old ones
  bool read_twice = false;         // a second read gives the same
  bool observe_parameters = true;  // after load and after each step
  bool observe_last_step_only = false;
  bool observe_states = true;     // owned intervals and their state, after each step
  bool observe_gradient = false;  // where the subject declares the state "gradient"
  bool observe_memory = false;
  bool observe_traffic = false;          // what each step moves
  bool observe_timeline = false;         // when what happened in each step
  bool observe_events = false;           // in which order each step asked for what
  bool observe_memory_estimate = false;  // with observe_memory: what the subject expected to hold
  bool observe_profile = false;          // how long calls take, ranks aligned, and bytes at points of the first step
  bool observe_resources = false;        // what each call costs and leaves: CPU time, blocks, files, threads
  bool report_steps = false;             // each rank tells of a step when it is made, and goes on when it is told to

  bool undeclared = false;  // what the subject does not declare is asked of it too, and is to be refused
  InvalidRequest invalid_request = InvalidRequest::kNone;  // with undeclared
  std::string invalid_option;                              // "math=value_of_nobody"; of kCode: "stage=4"

  /// The number of all ranks, which are a mesh of replicas x shards x tensor ranks, numbered as HybridMesh does
  /// (reference/plan/value/mesh.hpp).
  int world_size() const { return data_ranks() * tensor; }
  int data_ranks() const { return experiment.world_size; }
  int shards() const { return data_ranks() / replicas; }
  /// Over how many ranks a parameter is sharded: an expert's over its own.
  int shards_of(int parameter) const {
    return experiment.experts.ExpertOf(parameter) == Experts::kDense ? shards() : shards() / experiment.experts.count;
  }
  /// Where a rank stands among those that have data of their own, and among those that split its layers.
  int data_rank_of(int rank) const { return rank / tensor; }
  int tensor_rank_of(int rank) const { return rank % tensor; }
  /// Has it the parameter, or is that another expert's?
  bool RankHas(int rank, int parameter) const { return experiment.experts.Has(data_rank_of(rank), parameter); }
  friend bool operator==(const Case&, const Case&) = default;
};

/// Who adds what.
FoldShape ShapeOf(const Case& c);
/// The shape for an expert's ranks, as if they were a world of their own; and a fold of that world with its ranks and
/// their micro-batches numbered as the case does.
FoldShape ShapeOfExpert(const Case& c);
Fold OfExpert(const Case& c, int expert, Fold fold);

/// Which extra call saved what a return loads: the first save after a step. None: there is none before it.
const ExtraCall* SavedForReturn(const Case& c);
/// Is a checkpoint loaded that was saved between this step and the end of the next?
bool ResumesAfter(const Case& c, int64_t step);
/// Is a checkpoint saved or loaded at all?
bool HasCheckpoints(const Case& c);
/// Are the parameters read between the begin of this step and its end, as the step before has made them?
bool ReadsWithin(const Case& c, int64_t step);
/// 0, but where the run begins with what others saved.
int64_t FirstStep(const Case& c);

/// "" when the case makes sense, else one sentence: Problem(experiment), or what is wrong with its arrangement.
std::string Problem(const Case& c);

/// One line for people: "W=3 K=2 stage 1 bf16 adamw, 2 steps, 3 parameters (17 elements)"; "W=6 (2 replicas) K=2
/// (every_micro_batch) stage 3 .., overlap on, offload full" where it is not as usual.
std::string Summary(const Case& c);

}  // namespace zerocts
