#include "reference/train/present_ranks.hpp"

#include <algorithm>
#include <stdexcept>

namespace zerocts {

ReductionOrder OfPresentRanks(const Experiment& e, ReductionOrder order) {
  if (e.experts.count == 1) return order;
  const std::vector<int64_t> offsets = FlatOffsets(e);
  ReductionOrder present{.ranges = {}, .sync = order.sync};
  for (const OrderedRange& range : order.ranges) {
    for (int p = 0; p < std::ssize(e.parameters); ++p) {
      const int64_t begin = std::max(range.begin, offsets[p]), end = std::min(range.end, offsets[p + 1]);
      if (begin >= end) continue;
      const auto fold = OfPresentLeaves(range.fold, [&](int g) { return e.experts.Has(g / e.micro_batches, p); });
      if (!fold) {
        throw std::invalid_argument("reduction order: expected a micro-batch of a rank that has " +
                                    e.parameters[p].name + ", got " + ToString(range.fold));
      }
      present.ranges.push_back({begin, end, *fold});
    }
  }
  return present;
}

}  // namespace zerocts
