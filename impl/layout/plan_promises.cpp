// What an engine may rely on because of a plan's name, judged of layouts that come from elsewhere (a file).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "impl/layout/plans.hpp"
#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts::engine {
namespace {

std::string PaddingOfTightPlan(const Layout& layout) {
  const int64_t total = std::accumulate(layout.numel.begin(), layout.numel.end(), int64_t{0});
  if (layout.padded_numel() == total) return "";
  return fmt::format("plan {} has no padding: expected {} elements in the flat buffer, got {}", layout.plan, total,
                     layout.padded_numel());
}

std::string BoundaryThatIsNotOptimizerShards(const Layout& layout) {
  for (int shard = 0; shard < layout.shards(); ++shard) {
    const int64_t end = OptimizerShard::ForRank(shard, layout.shards(), layout.padded_numel()).end;
    for (size_t c = 0; c < layout.cuts.size(); ++c) {
      const Cut& cut = layout.cuts[c];
      const int64_t expected = std::clamp(end, cut.front(), cut.back());
      if (cut[shard + 1] == expected) continue;
      return fmt::format("plan {}: expected the part of shard {} in cut {} to end at {}, got {}", layout.plan, shard, c,
                         expected, cut[shard + 1]);
    }
  }
  return "";
}

std::string UnequalPart(const Layout& layout) {
  for (size_t c = 0; c < layout.cuts.size(); ++c) {
    const Cut& cut = layout.cuts[c];
    for (int shard = 0; shard < layout.shards(); ++shard) {
      if (cut[shard + 1] - cut[shard] == cut[1] - cut[0]) continue;
      return fmt::format("plan {}: expected equal parts of cut {}, got {} elements for shard 0 and {} for shard {}",
                         layout.plan, c, cut[1] - cut[0], cut[shard + 1] - cut[shard], shard);
    }
  }
  return "";
}

std::string DividedParameter(const Layout& layout) {
  for (int b = 0; b < std::ssize(layout.buckets); ++b) {
    const std::vector<int> placed = ParametersByOffset(layout, b);
    for (int c = layout.buckets[b].first_cut; c < layout.buckets[b].end_cut; ++c) {
      for (int64_t boundary : layout.cuts[c]) {
        const auto p = std::partition_point(placed.begin(), placed.end(),
                                            [&](int q) { return layout.offset[q] + layout.numel[q] <= boundary; });
        if (p == placed.end() || layout.offset[*p] >= boundary) continue;
        return fmt::format("plan {}: expected whole parameters, got a boundary at element {} of parameter {}",
                           layout.plan, boundary - layout.offset[*p], *p);
      }
    }
  }
  return "";
}

}  // namespace

std::string BrokenPromise(const Layout& layout) {
  const auto& names = PlanNames();
  if (std::count(names.begin(), names.end(), layout.plan) == 0) return "";
  const bool whole = OwnsWholeParameters(layout.plan), contiguous = layout.plan == "contiguous";
  if (!whole && !contiguous) return UnequalPart(layout);
  const std::string padding = PaddingOfTightPlan(layout);
  if (!padding.empty()) return padding;
  return whole ? DividedParameter(layout) : BoundaryThatIsNotOptimizerShards(layout);
}

}  // namespace zerocts::engine
