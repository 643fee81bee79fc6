// entrenar's OptimizerShard over the whole model, DeepSpeed's partitions: the boundaries know nothing of parameters or
// buckets, so a bucket may lie in few shards or in one.
#include <algorithm>

#include "impl/layout/layout_builder.hpp"
#include "impl/layout/plan_families.hpp"
#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts::engine {

Layout PlanContiguous(const PlanRequest& request) {
  LayoutBuilder builder(request);
  int64_t total = 0;
  for (const PlanParameter& parameter : request.parameters) total += parameter.numel();
  std::vector<int64_t> shard_end;
  for (int shard = 0; shard < request.shards; ++shard)
    shard_end.push_back(OptimizerShard::ForRank(shard, request.shards, total).end);

  for (const auto& parameters : ParametersOfBuckets(request)) {
    const int64_t begin = builder.position();
    for (int p : parameters) builder.Place(p);
    std::vector<int64_t> part_end;
    for (int64_t end : shard_end) part_end.push_back(std::clamp(end, begin, builder.position()));
    builder.CloseCut(part_end);
    builder.CloseBucket(parameters);
  }
  return std::move(builder).Done();
}

}  // namespace zerocts::engine
