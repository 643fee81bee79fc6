// The sum of products whose slices tensor ranks have: each rank sums its own slices, and all add all of them in the
// order of the definition.
#pragma once
#include <vector>

#include "impl/tensor_parallel/tensor_group.hpp"
#include "reference/model/slice_sum.hpp"

namespace zerocts::engine {

class SliceSumOverRanks : public SliceSum {
 public:
  /// Over `numel` elements in `parts`, of all ranks. Ranges that Evaluate asks for are of this rank's
  /// elements, parts side by side. Throws std::invalid_argument unless the ranks divide the slices.
  SliceSumOverRanks(const SliceOrder& order, int64_t numel, const CutParts& parts, TensorGroup& group);

  /// The sum over all slices of all ranks, on every rank. Moves slices * numel floats: the sums of slices cannot be
  /// added before they meet, or their order would depend on the number of ranks.
  void Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel) override;

 protected:
  TensorGroup& group() const { return group_; }
  /// [ranks + 1]: where the slices of each rank begin, in the order of the ranks.
  const std::vector<int64_t>& first_slice() const { return first_slice_; }

 private:
  TensorGroup& group_;
  std::vector<int64_t> first_slice_;
};

}  // namespace zerocts::engine
