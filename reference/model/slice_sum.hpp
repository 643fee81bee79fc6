// The sum of a layer's products in the order of its slices. Tensor ranks that have some of the slices each derive from
// it (impl/tensor_parallel).
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "reference/model/slice_order.hpp"
#include "reference/model/tensor_memory.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

class SliceSum {
 public:
  /// Over `numel` elements in `parts` (SlicesOf).
  SliceSum(const SliceOrder& order, int64_t numel, const CutParts& parts = {})
      : SliceSum(order, SlicesOf(numel, parts, order.slices)) {}
  virtual ~SliceSum() = default;

  /// Writes the partial sums of one range.
  using Products = std::function<void(float* out, const IndexRange& range)>;

  /// out [numel] is overwritten with the sums over all ranges.
  virtual void Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel);
  /// How many of so many rows of sums Evaluate writes: here, all.
  virtual int64_t OwnRows(int64_t rows) const { return rows; }

 protected:
  SliceSum(const SliceOrder& order, std::vector<Slice> slices)
      : slices_(std::move(slices)), rounding_(order.rounding) {}

  const std::vector<Slice>& slices() const { return slices_; }
  void SumSlice(Ops& ops, TensorMemory& memory, const Slice& slice, const Products& products, float* out,
                int64_t numel);
  /// The sum of the slices so far, and that of the next one.
  void AddSlice(Ops& ops, float* inout, const float* next, int64_t numel) const;
  /// For the sums of one range.
  virtual float* RangeSums(TensorMemory& memory, int64_t numel) { return range_.Resize(memory, numel); }

 private:
  void Round(Ops& ops, float* inout, int64_t numel) const;

  std::vector<Slice> slices_;
  Rounding rounding_;
  Tensor<float> slice_, range_;  // of all but the first slice, and of all but the first range
};

}  // namespace zerocts
