// Shard plans by name. One file per family of plans; all give a Layout.
//   contiguous           the flat buffer in W ranges whose sizes differ by at most one element (entrenar's
//                        OptimizerShard, DeepSpeed's partitions)
//   padded               buckets, each padded so that it falls into W equal parts (zero_optim_toy's buffer,
//                        Megatron-LM's)
//   per-parameter        each parameter padded to W equal parts of ceil(numel / W) elements (axonml)
//   per-parameter-rows   the same by whole rows of the first dimension, ceil(rows / W) of them (FSDP2)
//   round-robin          parameter i belongs to rank i mod W, whole (CS336's ShardedOptimizer)
//   balanced             each parameter whole, to the rank that has least so far, the largest first
//   block-round-robin    transformer block i belongs to rank i mod W, what is in no block to rank 0 (entrenar's
//                        ZeroShardMap)
//   block-contiguous     W runs of blocks whose lengths differ by at most one; the rest to rank 0
//   file:PATH            whatever a plan file says (reference/plan), whose states are all divided alike
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "impl/layout/layout.hpp"

namespace zerocts::engine {

struct PlanParameter {
  std::string name;
  std::vector<int64_t> shape;
  /// Parameters of different kinds are never in one bucket: another unit of the model, another dtype.
  int kind = 0;
  int64_t numel() const;
  int64_t rows() const { return shape.empty() ? 1 : shape.front(); }
};

struct PlanRequest {
  std::string plan = "contiguous";
  std::vector<PlanParameter> parameters;  // in registration order
  int shards = 1;
  /// A bucket takes parameters, from the last to the first as backward does, as long as it stays within so many
  /// elements; a larger parameter has a bucket of its own. 0: one bucket per run of equal kinds.
  int64_t bucket_numel = 0;
  int64_t alignment = 1;  // padded: every part is a multiple of so many elements
};

/// Throws Unimplemented with the names for an unknown plan, std::invalid_argument for what makes no sense.
Layout MakeLayout(const PlanRequest& request);

/// "" or one sentence: what the layout's plan promises beyond Problem(), which must be "". contiguous: OptimizerShard's
/// boundaries, no padding. padded, per-parameter*: equal parts. By owner: no parameter is divided, no padding. A plan
/// that is not among PlanNames() promises nothing.
std::string BrokenPromise(const Layout& layout);

inline constexpr std::string_view kPlanFilePrefix = "file:";
/// Without files.
const std::vector<std::string>& PlanNames();
/// Do all parameters have one owner each, so that whole tensors are updated at one rank?
bool OwnsWholeParameters(const std::string& plan);

}  // namespace zerocts::engine
