// The sum over slices that tensor ranks have, of which each rank gets the rows of its own positions alone.
#pragma once
#include "impl/tensor_parallel/slice_sum_over_ranks.hpp"
#include "impl/tensor_parallel/split_columns.hpp"

namespace zerocts::engine {

/// Sums rows [B * T, C].
class ScatteredSliceSum : public SliceSumOverRanks {
 public:
  ScatteredSliceSum(const SliceOrder& order, int64_t numel, const CutParts& parts, int64_t T, int64_t C,
                    TensorGroup& group);

  /// `numel`: of the whole rows, as the products are. Each rank's sums of slices go to the ranks that have the rows:
  /// slices * numel / ranks floats reach each.
  void Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel) override;
  int64_t OwnRows(int64_t rows) const override { return positions_.OwnOf(rows); }

 private:
  float* StretchSums(TensorMemory&, int64_t) override { return stretch_; }

  int64_t T_, C_;
  SplitColumns positions_;
  float* stretch_ = nullptr;  // in the window, while Evaluate is called
};

}  // namespace zerocts::engine
