#include "conformance/check/expected/expected.hpp"

#include <algorithm>
#include <stdexcept>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/inputs/input_hash.hpp"

namespace zerocts {
namespace {

struct OwnedRange {
  int64_t begin, end;  // elements of the concatenation of all parameters
  int owner;           // its position in the sharding group
  int expert = Experts::kDense;
};

using Owned = std::vector<std::vector<std::vector<Interval>>>;  // [rank][parameter]

/// The ranges that the ranks of the first sharding group own: the others own the same by their positions. Elements
/// without optimizer state have no owner and no gradient; position 0 stands for it.
std::vector<OwnedRange> FlatRanges(const Case& c, const Owned& owned) {
  const Experiment& e = c.experiment;
  const std::vector<int64_t> offsets = FlatOffsets(e);
  std::vector<OwnedRange> ranges;
  for (int position = 0; position < c.shards() && position < static_cast<int>(owned.size()); ++position) {
    for (size_t p = 0; p < owned[position].size(); ++p) {
      for (const Interval& interval : owned[position][p]) {
        const int expert = e.experts.ExpertOf(static_cast<int>(p));
        const int in_group = expert == Experts::kDense ? position : position / e.experts.count;
        ranges.push_back({offsets[p] + interval.begin, offsets[p] + interval.end, in_group, expert});
      }
    }
  }
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    const bool has_elements = offsets[p] < offsets[p + 1];
    if (has_elements && !e.roles.HasState(static_cast<int>(p))) ranges.push_back({offsets[p], offsets[p + 1], 0});
  }
  std::sort(ranges.begin(), ranges.end(), [](const OwnedRange& a, const OwnedRange& b) { return a.begin < b.begin; });
  return ranges;
}

/// What a rule gives for the ranks that add a parameter: all, or those of its expert.
template <typename Rule>
Fold FoldByRule(const Case& c, int expert, Rule rule) {
  return expert == Experts::kDense ? rule(ShapeOf(c)) : OfExpert(c, expert, rule(ShapeOfExpert(c)));
}

/// A rule to which no owner matters, parameter by parameter where there are experts.
template <typename Rule>
ReductionOrder OrderBy(const Case& c, Rule rule) {
  const Experiment& e = c.experiment;
  if (e.experts.count == 1) return UniformOrder(e, rule(ShapeOf(c)), c.gradient_sync);
  const std::vector<int64_t> offsets = FlatOffsets(e);
  ReductionOrder order{.ranges = {}, .sync = c.gradient_sync};
  for (size_t p = 0; p < e.parameters.size(); ++p) {
    order.ranges.push_back({offsets[p], offsets[p + 1], FoldByRule(c, e.experts.ExpertOf(static_cast<int>(p)), rule)});
  }
  return order;
}

/// The shard at position d of a sharding group is added in the order d+1, d+2, .., d, so every element needs one owner.
ReductionOrder RingOrder(const Case& c, const Owned& owned) {
  if (c.stage == 0 && c.world_size() > 1) {
    throw std::invalid_argument(
        "reduction order ring: expected stage 1 or higher, got stage 0, in which no element has one owner to start "
        "from");
  }
  const auto expect = [](bool holds, int64_t element) {
    if (holds) return;
    throw std::invalid_argument(
        "reduction order ring: expected every element to have one owner, got none or two at element " +
        std::to_string(element));
  };
  ReductionOrder order{.ranges = {}, .sync = c.gradient_sync};
  int64_t covered = 0;
  for (const OwnedRange& range : FlatRanges(c, owned)) {
    expect(range.begin == covered, std::min(range.begin, covered));
    order.ranges.push_back({range.begin, range.end, FoldByRule(c, range.expert, [&](const FoldShape& shape) {
                              return RingFold(shape, range.owner);
                            })});
    covered = range.end;
  }
  expect(covered == TotalNumel(c.experiment), covered);
  return order;
}

}  // namespace

bool NeedsProbe(const Case& c) { return c.reduction_order == "probed" && !IsExact(c.experiment); }

ReductionOrder OrderOf(const Case& c, const std::vector<std::vector<std::vector<Interval>>>& owned) {
  const Experiment& e = c.experiment;
  const bool any_will_do = IsExact(e) || (c.fidelity == Fidelity::kBounded && c.reduction_order == "any");
  if (any_will_do || c.reduction_order == "rank") {
    return OrderBy(c, [](const FoldShape& shape) { return RankFold(shape); });
  }
  if (c.reduction_order == "tree") {
    return OrderBy(c, [](const FoldShape& shape) { return TreeFold(shape); });
  }
  if (c.reduction_order == "ring") return RingOrder(c, owned);
  throw std::invalid_argument("reduction order: expected rank, ring or tree because sums of " + ToString(e.gradients) +
                              " gradients show the order of addition here, got \"" + c.reduction_order + "\"");
}

Expected ExpectedOf(const Case& c, const ReductionOrder& order) { return ExpectedOf(c, std::span(&order, 1)); }

/// From the first step on: of those that saved what the case's ranks load.
Trainer TrainerOf(const Case& c, const ReductionOrder& order) {
  if (!LoadsOnly(c)) return Trainer(c.experiment, order, HostOps());
  const Case savers = RunOfSavers(c);
  return Trainer(savers.experiment, OrderOf(savers, {}), HostOps());
}

Expected ExpectedOf(const Case& c, std::span<const ReductionOrder> orders) {
  Expected expected;
  Trainer trainer = TrainerOf(c, orders.front());
  expected.initial_parameter = trainer.parameters();
  expected.initial_master = trainer.masters();
  for (int64_t step = 0; step < c.experiment.steps; ++step) {
    if (LoadsOnly(c) && step == FirstStep(c)) trainer.GoOnWith(c.data_ranks(), orders.front());
    if (step > 0 && step < std::ssize(orders)) trainer.AddInOrder(orders[static_cast<size_t>(step)]);
    expected.steps.push_back(trainer.Step());
  }
  for (int rank = 0; rank < c.world_size(); ++rank) expected.input_hashes.push_back(InputHash(c, rank));
  return expected;
}

}  // namespace zerocts
