// What an engine and an optimizer are asked to do: plain values, the same on every rank.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerocts::library {

enum class Precision { kFp32, kBf16 };
enum class OptimizerKind { kSgd, kAdamW, kAdam, kLamb, kMuon };  // kMuon: every parameter is a matrix
/// What the gradients of all micro-batches of all ranks become.
enum class GradientReduction { kMean, kSum };
/// What lives on the host between its uses. kParameters: a rank's shard of parameters and optimizer state; kFull: of
/// gradients too.
enum class Offload { kNone, kParameters, kFull };

/// The optimizer's settings for one group of parameters.
struct HyperParameters {
  float lr = 0.1f;
  float weight_decay = 0.0f;
  float momentum = 0.0f;  // SGD and Muon, as is nesterov; SGD alone has dampening
  float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f;
  float dampening = 0.0f;
  bool nesterov = false;
};

/// Ranks as replicas of sharding groups: rank = replica * shards + shard.
struct Mesh {
  int replicas = 1;
  int shards = 0;  // 0: as many as there are ranks for
};

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  int group = 0;
  Precision precision = Precision::kFp32;  // of the compute parameter and of its gradients
};

struct EngineSettings {
  int stage = 1;  // 0: all is replicated; 1: optimizer state is sharded; 2: gradients too; 3: parameters too
  Mesh mesh;
  std::string plan = "contiguous";  // or padded, per-parameter, per-parameter-rows, round-robin, balanced,
                                    // block-round-robin, block-contiguous, file:PATH
  int64_t bucket_bytes = 0;         // 0: 25 MiB
  Offload offload = Offload::kNone;
  bool overlap = false;  // reductions and gathers run beside what computes

  std::vector<Parameter> parameters;

  int micro_batches = 1;  // of each rank and step
  GradientReduction gradients = GradientReduction::kMean;
  std::string reduction_order = "rank";       // in which ranks are added; or ring, tree
  Precision accumulation = Precision::kFp32;  // of sums over micro-batches
  Precision reduction = Precision::kFp32;     // of what travels, and of sums over ranks

  OptimizerKind optimizer = OptimizerKind::kAdamW;
  std::vector<HyperParameters> groups = {HyperParameters{}};
  float max_norm = 0;  // gradients are clipped to it; 0: no clipping
  float clip_epsilon = 1e-6f;
};

/// What one rank holds.
struct MemoryBytes {
  int64_t parameters = 0, gradients = 0, optimizer = 0, buffers = 0;
  int64_t peak = 0;     // of their sum
  int64_t on_host = 0;  // offloaded
};

}  // namespace zerocts::library
