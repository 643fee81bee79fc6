#include "conformance/plans/picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/plans/plan_text.hpp"
#include "reference/plan/runs/shard_at.hpp"
#include "reference/plan/runs/totals.hpp"
#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts {

using plan::Plan;

namespace {

/// Tensors that have the state, with elements.
std::vector<int32_t> TensorsWith(const Plan& plan, plan::State state) {
  std::vector<int32_t> tensors;
  for (int32_t t = 0; t < std::ssize(plan.model); ++t) {
    if (Needs(plan.model[t], state) && plan.model[t].numel() > 0) tensors.push_back(t);
  }
  return tensors;
}

std::string LabelOf(const Plan& plan, const std::vector<int32_t>& tensors, size_t first, size_t end) {
  const std::string& name = plan.model[tensors[first]].name;
  if (end - first == 1) return name;
  return fmt::format("{} .. {} ({} parameters)", name, plan.model[tensors[end - 1]].name, end - first);
}

/// The shard of the middle of each cell, where tensors [first, end) stand end to end.
std::vector<int> CellsOf(const Plan& plan, const std::vector<int32_t>& tensors, size_t first, size_t end, int columns,
                         const plan::ShardLookup& lookup) {
  int64_t total = 0;
  for (size_t i = first; i < end; ++i) total += plan.model[tensors[i]].numel();
  std::vector<int> cells;
  const auto wide = static_cast<int64_t>(std::min<int64_t>(columns, total));
  int64_t before = 0;  // elements of tensors that end before the cell
  size_t i = first;
  for (int64_t c = 0; c < wide; ++c) {
    const int64_t begin = EvenBegin(total, wide, c), position = begin + (EvenBegin(total, wide, c + 1) - begin) / 2;
    while (position >= before + plan.model[tensors[i]].numel()) before += plan.model[tensors[i++]].numel();
    cells.push_back(lookup.ShardOf(tensors[i], position - before));
  }
  return cells;
}

std::vector<Picture::Shard> ShardsOf(const Plan& plan, const plan::Sharding& sharding, plan::State state) {
  std::vector<int64_t> weight;
  for (const plan::Tensor& tensor : plan.model) weight.push_back(Needs(tensor, state));
  const std::vector<int64_t> held = HeldByShards(plan, sharding, weight), slots = SlotsOfShards(plan, sharding, weight);
  std::vector<Picture::Shard> shards;  // a plan that is not sound may hold more than it has room for
  for (size_t s = 0; s < held.size(); ++s) shards.push_back({held[s], std::max(held[s], slots[s])});
  return shards;
}

}  // namespace

Picture PictureOf(const Plan& plan, plan::State state, int rows, int columns) {
  Picture picture{.title = fmt::format("{}: {}", NameOf(state), Summary(plan))};
  const plan::Sharding* sharding = plan.sharding(state);
  const std::vector<int32_t> tensors = TensorsWith(plan, state);
  const plan::ShardLookup lookup(plan, state);
  const auto count = static_cast<int64_t>(tensors.size()), shown = std::min<int64_t>(rows, count);
  for (int64_t r = 0; r < shown; ++r) {
    const auto first = static_cast<size_t>(EvenBegin(count, shown, r));
    const auto end = static_cast<size_t>(EvenBegin(count, shown, r + 1));
    picture.rows.push_back({LabelOf(plan, tensors, first, end), CellsOf(plan, tensors, first, end, columns, lookup)});
  }
  if (sharding) picture.shards = ShardsOf(plan, *sharding, state);
  return picture;
}

}  // namespace zerocts
