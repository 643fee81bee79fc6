// What an engine is asked to do: the same value on every rank.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reference/model/model.hpp"
#include "reference/numerics/reduction_order.hpp"
#include "reference/optim/clipping.hpp"
#include "reference/optim/loss_scale.hpp"
#include "reference/optim/step.hpp"

namespace zerocts::engine {

/// What lives on the host between its uses.
enum class OffloadMode {
  kNone,
  kParams,
  kFull
};  // kParams: a rank's shard of parameters and optimizer state is on the host; kFull: of gradients too

/// Whose micro-batches the mean of an expert's gradients divides by: those of all ranks, or of the ranks that have it.
enum class DivisorOfExperts { kWorld, kGroup };

struct EngineParameter {
  ParameterSpec spec;
  Precision precision = Precision::kFp32;  // of the compute parameter and of its gradients
  int tied_to = -1;                        // >= 0: another name of the storage of that parameter, which comes before it
  bool buffer = false;                     // held whole by every rank, never updated
  int expert = -1;                         // of which expert's ranks alone have it; -1: of none

  bool has_storage() const { return tied_to < 0 && !buffer; }  // in the flat buffers
};

struct EngineSettings {
  // Where.
  int stage = 1;
  int replicas = 1;  // the mesh: so many replicas of world_size / (replicas * tensor) sharding ranks,
  int tensor = 1;    // each of them so many ranks that have a part of every layer (HybridMesh)
  int experts = 1;   // E: rank r has the parameters of expert r mod E, and of no other; E divides the sharding ranks
  std::string plan = "contiguous";
  int64_t bucket_cap_bytes = 0;  // 0: 25 MiB
  OffloadMode offload = OffloadMode::kNone;
  bool overlap = false;  // reductions run beside backward, gathers beside forward and backward

  // What.
  std::vector<EngineParameter> parameters;
  std::optional<ModelSpec>
      model;  // when the engine computes gradients itself; then precision is that of every parameter
  Precision precision = Precision::kFp32;
  int64_t batch = 0;  // sequences of a micro-batch, as far as they are known before there is one; 0: not known

  // How gradients become one.
  int micro_batches = 1;  // K per rank and step
  GradientSync gradient_sync = GradientSync::kLastMicroBatch;
  std::string reduction_order = "rank";       // "rank", "ring" or "tree"
  Precision accumulation = Precision::kFp32;  // of sums over micro-batches
  Precision reduction = Precision::kFp32;     // of what travels, of sums over ranks, of the mean
  bool sum_gradients = false;                 // their sum takes the place of their mean
  DivisorOfExperts expert_divisor = DivisorOfExperts::kWorld;
  LossScaling loss_scaling;

  // The step.
  Optimizer optimizer{OptimizerKind::kSgd};
  std::vector<HyperParameters> groups;
  float max_norm = 0;  // 0: no clipping
  float clip_epsilon = 1e-6f;
  NormKind clip_norm = NormKind::kTwo;
  ClipFormula clip_formula = ClipFormula::kMin;
};

int64_t ElementBytes(Precision precision);

/// "" or one sentence: what makes no sense, for anybody.
std::string Problem(const EngineSettings& settings, int world_size);

}  // namespace zerocts::engine
