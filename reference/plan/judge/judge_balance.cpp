#include <fmt/format.h>

#include <algorithm>

#include "reference/plan/judge/judge_parts.hpp"
#include "reference/plan/runs/totals.hpp"

namespace zerocts::plan {

void JudgeBalance(const Judged& judged, Findings& findings) {
  for (const Property broken : {Property::kExtents, Property::kInvertibility}) {
    if (findings.Count(broken) > 0) return;  // shares of what does not exist, or lies on top of each other
  }
  const std::vector<int64_t> one(judged.plan.model.size(), 1);
  const std::vector<int64_t> held = HeldByShards(judged.plan, judged.sharding, one);
  const auto least = std::min_element(held.begin(), held.end()), most = std::max_element(held.begin(), held.end());
  if (*most - *least <= *judged.plan.balance) return;
  const auto rank = [&](auto shard) { return judged.group.FirstRankOf(static_cast<int>(shard - held.begin())); };
  findings.Add(Property::kBalance, Findings::kNoTensor, 0, {rank(least), rank(most)}, [&] {
    return fmt::format("they hold {} and {} elements: expected at most {} apart", *least, *most, *judged.plan.balance);
  });
}

}  // namespace zerocts::plan
