#include "conformance/check/expected.hpp"

#include <algorithm>
#include <stdexcept>

#include "conformance/cases/input_hash.hpp"

namespace zerocts {
namespace {

struct OwnedRange {
  int64_t begin, end;  // elements of the concatenation of all parameters
  int owner;
};

std::vector<OwnedRange> FlatRanges(const Experiment& e, const std::vector<std::vector<std::vector<Interval>>>& owned) {
  const std::vector<int64_t> offsets = FlatOffsets(e);
  std::vector<OwnedRange> ranges;
  for (size_t rank = 0; rank < owned.size(); ++rank) {
    for (size_t p = 0; p < owned[rank].size(); ++p) {
      for (const Interval& interval : owned[rank][p]) {
        ranges.push_back({offsets[p] + interval.begin, offsets[p] + interval.end, static_cast<int>(rank)});
      }
    }
  }
  std::sort(ranges.begin(), ranges.end(), [](const OwnedRange& a, const OwnedRange& b) { return a.begin < b.begin; });
  return ranges;
}

/// The shard of rank d is added in the order d+1, d+2, .., d, so every element needs one owner.
ReductionOrder RingOrder(const Case& c, const std::vector<std::vector<std::vector<Interval>>>& owned) {
  const Experiment& e = c.experiment;
  if (c.stage == 0 && e.world_size > 1) {
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
  ReductionOrder order;
  int64_t covered = 0;
  for (const OwnedRange& range : FlatRanges(e, owned)) {
    expect(range.begin == covered, std::min(range.begin, covered));
    order.ranges.push_back({range.begin, range.end, RingFold(e.world_size, e.micro_batches, range.owner)});
    covered = range.end;
  }
  expect(covered == TotalNumel(e), covered);
  return order;
}

}  // namespace

ReductionOrder OrderOf(const Case& c, const std::vector<std::vector<std::vector<Interval>>>& owned) {
  const Experiment& e = c.experiment;
  const auto uniform = [&](const Fold& fold) { return UniformOrder(e, fold); };
  if (IsExact(e.gradients) || c.reduction_order == "rank") return uniform(RankFold(e.world_size, e.micro_batches));
  if (c.reduction_order == "tree") return uniform(TreeFold(e.world_size, e.micro_batches));
  if (c.reduction_order == "ring") return RingOrder(c, owned);
  throw std::invalid_argument("reduction order: expected rank, ring or tree because " + ToString(e.gradients) +
                              " gradients show the order of addition, got \"" + c.reduction_order + "\"");
}

Expected ExpectedOf(const Case& c, const ReductionOrder& order) {
  Expected expected;
  Trainer trainer(c.experiment, order, HostOps());
  expected.initial_parameter = trainer.parameters();
  expected.initial_master = trainer.masters();
  for (int64_t step = 0; step < c.experiment.steps; ++step) expected.steps.push_back(trainer.Step());
  for (int rank = 0; rank < c.world_size(); ++rank) expected.input_hashes.push_back(InputHash(c, rank));
  return expected;
}

}  // namespace zerocts
