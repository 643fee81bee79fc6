// Columns of a matrix that tensor ranks have: all of them from everybody's, and one's own from all.
#pragma once
#include "impl/tensor_parallel/tensor_group.hpp"
#include "reference/model/tensor_memory.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts::engine {

/// A rank's share of `columns` columns in `parts` side by side: OwnOf each part; its own matrix has them side by side
/// too. A column is `width` floats wide: positions of a sequence are columns of C.
class SplitColumns {
 public:
  SplitColumns(int64_t columns, const CutParts& parts, TensorGroup& group, int64_t width = 1);

  int64_t own() const { return own_; }
  /// Counts the own ones of all columns of some rows, one row after the other.
  int64_t OwnOf(int64_t columns) const { return columns / columns_ * own_; }
  /// Floats of the full matrix.
  int64_t FullNumel(int64_t rows) const { return rows * columns_ * width_; }
  /// The largest number of columns of one row that any rank has.
  int64_t most() const { return most_; }
  /// Where the ranks' columns are in the full matrix, in floats.
  Cuts CutsOf(int64_t rows) const;

  /// own [rows, own()] from full [rows, columns].
  void Take(Ops& ops, float* own, const float* full, int64_t rows) const;
  /// full from the own of every rank. Collective.
  void Gather(Ops& ops, float* full, const float* own, int64_t rows, const char* what);

 private:
  int64_t columns_;
  std::vector<IndexRange> parts_;
  TensorGroup& group_;
  int64_t width_;
  int64_t own_ = 0, most_ = 0;
};

}  // namespace zerocts::engine
