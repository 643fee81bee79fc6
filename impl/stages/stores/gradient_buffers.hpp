// Which buffers hold a rank's gradients, of what size and where: decided from the settings alone, before anything is
// allocated. Where unsharded gradients are kept between micro-batches (stages 0 and 1, and an accumulation window at
// whose end only ranks are added) and where they exist one sharding unit at a time (stages 2 and 3) is decided here.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "impl/stages/arrangement/slots.hpp"
#include "impl/stages/rank/rank_context.hpp"
#include "impl/stages/stores/running_sum.hpp"

namespace zerocts::engine {

struct PlannedBuffer {
  BufferLocation location = BufferLocation::kDevice;
  int64_t bytes = 0;
  MemoryKind kind = MemoryKind::kBuffer;
};

struct GradientBuffers {
  bool each = false;             // ranks are added after every micro-batch
  bool keeps_unsharded = false;  // this rank's gradients stand in `unsharded` while they wait for the other ranks
  bool narrow = false;           // bf16 travels
  bool in_place = false;         // the mean stands in `unsharded` too

  SumRule unsharded_rule, sharded_rule;  // how micro-batches are added there
  std::vector<PlannedBuffer> unsharded;  // [unsharded_rule.levels()] of [padded_numel]; empty unless keeps_unsharded
  SlotPlan slot_plan;
  std::vector<PlannedBuffer> slots;                   // one micro-batch of a sharding unit, apart from `unsharded`
  std::optional<PlannedBuffer> reduce_scatter_input;  // bf16: a bucket on its way
  std::vector<PlannedBuffer> sharded;                 // [sharded_rule.levels()] of [shard_numel]; empty when in_place
  /// The sum over ranks of a part, before it is added or goes to the host.
  std::optional<PlannedBuffer> reduce_scatter_output;
  /// Offload: on the host, the mean (params), or a part on its way to it (full).
  std::optional<PlannedBuffer> host_staging;

  /// A micro-batch of a sharding unit is sent from where backward writes it.
  bool sends_each_area() const { return each || !keeps_unsharded; }
};

GradientBuffers PlanGradients(const EngineSettings& settings, const Arrangement& arrangement);

/// A line for each buffer: "unsharded 0: 44 bytes, gradient, shard group".
std::string ToString(const GradientBuffers& buffers);

}  // namespace zerocts::engine
