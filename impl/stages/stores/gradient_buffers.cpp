#include "impl/stages/stores/gradient_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "impl/device/out_of_device_memory.hpp"
#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {
namespace {

/// Largest value of `numel` over all buckets.
int64_t Largest(const Arrangement& arrangement, int64_t BucketOffsets::*numel) {
  int64_t largest = 0;
  for (const BucketOffsets& bucket : arrangement.buckets) largest = std::max(largest, bucket.*numel);
  return largest;
}

PlannedBuffer Floats(BufferLocation location, int64_t numel, MemoryKind kind) {
  return {location, numel * kFloatBytes, kind};
}

std::vector<PlannedBuffer> Levels(const SumRule& rule, const PlannedBuffer& level) {
  return std::vector<PlannedBuffer>(static_cast<size_t>(rule.levels()), level);
}

void PlanUnsharded(const EngineSettings& settings, const Arrangement& arrangement, GradientBuffers& plan) {
  const int K = settings.micro_batches;
  const bool tree = settings.reduction_order == "tree";
  // bf16 is sent from `reduce_scatter_input`. The levels of a tree but the last are never sent; they are windows all
  // the same, which costs nothing.
  const BufferLocation sent =
      plan.narrow && arrangement.sharding.optimizer ? BufferLocation::kDevice : BufferLocation::kShardGroup;
  if (plan.keeps_unsharded) {
    plan.unsharded_rule = {plan.each ? 1 : K, tree, plan.each ? Precision::kFp32 : settings.accumulation};
    plan.unsharded =
        Levels(plan.unsharded_rule, Floats(sent, arrangement.layout.padded_numel(), MemoryKind::kGradient));
  }
  if (!plan.keeps_unsharded || (!plan.each && K > 1)) {
    std::vector<int64_t> bytes;
    for (const ShardingUnit& unit : arrangement.sharding_units) bytes.push_back(unit.flat_numel * kFloatBytes);
    plan.slot_plan = PlanSlots(arrangement.sharding_units, bytes);
    const BufferLocation location = plan.sends_each_area() ? sent : BufferLocation::kDevice;
    for (const int64_t slot_bytes : plan.slot_plan.bytes) plan.slots.push_back({location, slot_bytes});
  }
  if (plan.narrow) {
    plan.reduce_scatter_input = {BufferLocation::kShardGroup,
                                 kBf16Bytes * Largest(arrangement, &BucketOffsets::flat_numel)};
  }
}

/// The mean over all micro-batches of all ranks, of this rank's shard, where it is not in `unsharded`.
void PlanSharded(const EngineSettings& settings, const Arrangement& arrangement, GradientBuffers& plan) {
  const int K = settings.micro_batches;
  const bool full_offload = settings.offload == OffloadMode::kFull;
  const int64_t shard_numel = arrangement.layout.shard_numel(arrangement.shard);
  const int64_t largest_part = Largest(arrangement, &BucketOffsets::shard_numel);
  // Replicas are added where the sum over the sharding group stands.
  const BufferLocation summed = settings.replicas > 1 ? BufferLocation::kReplicateGroup : BufferLocation::kDevice;
  plan.sharded_rule = {plan.each ? K : 1, false, plan.each ? settings.accumulation : Precision::kFp32};
  plan.sharded = Levels(plan.sharded_rule,
                        Floats(full_offload ? BufferLocation::kHost : summed, shard_numel, MemoryKind::kGradient));
  if (full_offload || (plan.each && K > 1))
    plan.reduce_scatter_output = Floats(summed, largest_part, MemoryKind::kBuffer);
  if (full_offload) plan.host_staging = Floats(BufferLocation::kHost, largest_part, MemoryKind::kBuffer);
  if (settings.offload == OffloadMode::kParams) {
    plan.host_staging = Floats(BufferLocation::kHost, shard_numel, MemoryKind::kBuffer);
  }
}

const char* NameOf(BufferLocation location) {
  switch (location) {
    case BufferLocation::kDevice: return "device";
    case BufferLocation::kHost: return "host";
    case BufferLocation::kShardGroup: return "shard group";
    case BufferLocation::kReplicateGroup: break;
  }
  return "replicate group";
}

}  // namespace

GradientBuffers PlanGradients(const EngineSettings& settings, const Arrangement& arrangement) {
  GradientBuffers plan;
  plan.each = settings.gradient_sync == GradientSync::kEveryMicroBatch;
  plan.keeps_unsharded = !arrangement.sharding.gradients || (!plan.each && settings.micro_batches > 1);
  plan.narrow = settings.reduction == Precision::kBf16;
  plan.in_place = plan.keeps_unsharded && !plan.narrow && !plan.each && settings.replicas == 1 &&
                  settings.offload == OffloadMode::kNone;
  PlanUnsharded(settings, arrangement, plan);
  if (!plan.in_place) PlanSharded(settings, arrangement, plan);
  return plan;
}

std::string ToString(const GradientBuffers& buffers) {
  std::string table;
  const auto add = [&](const std::string& name, const PlannedBuffer& buffer) {
    table += fmt::format("{}: {} bytes, {}, {}\n", name, buffer.bytes, NameOf(buffer.kind), NameOf(buffer.location));
  };
  const auto add_all = [&](const char* name, const std::vector<PlannedBuffer>& several) {
    for (size_t i = 0; i < several.size(); ++i) add(fmt::format("{} {}", name, i), several[i]);
  };
  add_all("unsharded", buffers.unsharded);
  add_all("slot", buffers.slots);
  if (buffers.reduce_scatter_input) add("reduce_scatter_input", *buffers.reduce_scatter_input);
  add_all("sharded", buffers.sharded);
  if (buffers.reduce_scatter_output) add("reduce_scatter_output", *buffers.reduce_scatter_output);
  if (buffers.host_staging) add("host_staging", *buffers.host_staging);
  return table;
}

}  // namespace zerocts::engine
