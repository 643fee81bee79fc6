// The sum over the rows of a micro-batch: gradients of what every row uses.
#pragma once
#include <functional>
#include <memory>

#include "reference/model/slice_sum.hpp"
#include "reference/model/unit.hpp"

namespace zerocts {

class RowSum {
 public:
  /// The sum over the rows of B sequences.
  using Make = std::function<std::unique_ptr<SliceSum>(int64_t B)>;
  explicit RowSum(Make make) : make_(std::move(make)) {}

  /// out [numel] is overwritten. `products` are asked for ranges of rows, each row once.
  void Evaluate(Ops& ops, const MicroBatch& batch, const SliceSum::Products& products, float* out, int64_t numel);

 private:
  Make make_;
  int64_t B_ = -1;  // of sum_
  std::unique_ptr<SliceSum> sum_;
};

/// In one range; `rows` per sequence.
RowSum OverRows(int64_t rows);

/// In slices of the T positions: slice s has its positions of every sequence, each sequence a range of its own. A
/// slice of all T is one range of all rows.
RowSum OverPositions(const SliceOrder& order, int64_t T);

}  // namespace zerocts
