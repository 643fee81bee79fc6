// What a layout costs each rank, by the formulas of the paper (ZeRO, arXiv 1910.02054): bytes held between steps and
// elements moved per step. Nothing is measured here; what is measured is compared with this.
//   Psi elements, W shards   parameters       gradients        optimizer state     moved per step of one micro-batch
//   stage 0                  Psi              Psi              Psi                 2 Psi (W - 1) / W
//   stage 1                  Psi              Psi              Psi / W             2 Psi (W - 1) / W
//   stage 2                  Psi              Psi / W          Psi / W             2 Psi (W - 1) / W
//   stage 3                  Psi / W          Psi / W          Psi / W             3 Psi (W - 1) / W
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "impl/layout/layout.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts::engine {

struct CostSettings {
  int stage = 3;
  Precision parameters = Precision::kFp32;  // bf16: the optimizer also keeps fp32 masters
  Precision gradients = Precision::kFp32;   // as they are held and sent
  int moments = 2;                          // fp32, of the optimizer: SGD 0, with momentum 1, AdamW 2
  int micro_batches = 1;                    // K per rank and step
  bool reduce_each_micro_batch = false;     // gradients are reduced K times per step instead of once
  int replicas = 1;                         // hybrid shard: W shards in each of so many groups
};

/// What one rank sends and receives in one step.
struct PlannedTraffic {
  int64_t sent_numel = 0, received_numel = 0;  // elements, padding included
  int64_t sent_bytes = 0, received_bytes = 0;
  friend bool operator==(const PlannedTraffic&, const PlannedTraffic&) = default;
};

struct RankCosts {
  // Between steps, without padding.
  int64_t parameter_bytes = 0, gradient_bytes = 0;
  int64_t optimizer_bytes = 0;  // moments and masters
  int64_t padding_bytes = 0;    // of all three
  /// Beyond gradient_bytes, padding included, while micro-batches are added up: stages 2 and 3 that reduce once per
  /// step hold whole gradients until then.
  int64_t accumulation_bytes = 0;

  // Every element goes straight from who has it to who needs it. An all-gather brings a rank what it does not own and
  // sends its own part W - 1 times; a reduce-scatter the other way round.
  PlannedTraffic reduce_scatter;      // gradients
  PlannedTraffic all_gather;          // parameters: stage 3 before every forward and backward; stage 0: gradients
  PlannedTraffic replica_all_reduce;  // of the shard's gradients among replicas: 2 n (R - 1) / R elements of n

  int64_t held_bytes() const { return parameter_bytes + gradient_bytes + optimizer_bytes + padding_bytes; }
  friend bool operator==(const RankCosts&, const RankCosts&) = default;
};

struct PlanCosts {
  CostSettings settings;
  std::string plan;
  int shards = 1;
  std::vector<RankCosts> ranks;  // rank = replica * shards + shard, see HybridMesh
};

/// Throws std::invalid_argument for settings that make no sense.
PlanCosts CostsOf(const Layout& layout, const CostSettings& settings);
/// A table: least, most and sum over ranks.
std::string ToString(const PlanCosts& costs);

}  // namespace zerocts::engine
