// The sum of a layer's products in the order of its slices.
#pragma once
#include <functional>

#include "reference/model/slice_order.hpp"
#include "reference/model/tensor_memory.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

class SliceSum {
 public:
  /// Over `numel` elements in `parts` parts (SlicesOf).
  SliceSum(const SliceOrder& order, int64_t numel, int64_t parts = 1)
      : slices_(SlicesOf(numel, parts, order.slices)), rounding_(order.rounding) {}

  /// Writes the partial sums of one stretch.
  using Products = std::function<void(float* out, const Stretch& stretch)>;

  /// out [numel] is overwritten with the sums over all stretches.
  void Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel);

 private:
  void SumSlice(Ops& ops, TensorMemory& memory, const Slice& slice, const Products& products, float* out,
                int64_t numel);
  void Round(Ops& ops, float* inout, int64_t numel) const;

  std::vector<Slice> slices_;
  Rounding rounding_;
  Tensor<float> slice_, stretch_;  // of all but the first slice, and of all but the first stretch
};

}  // namespace zerocts
