// A flat range is what one cut divides: one tensor alone, or the tensors of a flat buffer and the padding between and
// behind them.
#pragma once
#include <cstdint>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

struct FlatRange {
  std::vector<int32_t> tensors;
  std::vector<int64_t> numel, offset;  // per tensor
  int64_t length = 0;                  // padding included
  size_t first = 0;                    // its first tensor is this one of the division

  int64_t elements() const;
  /// Tensors stand one behind the other, as they are listed.
  bool ascending() const;
  /// The first tensor, by its index here, that ends behind `position`; tensors.size() when none does. Needs
  /// ascending().
  size_t FirstBehind(int64_t position) const;
};

/// The next flat range of a division, in the memory of the last one.
class FlatRanges {
 public:
  FlatRanges(const Model& model, const Division& division) : model_(model), division_(division) {}
  /// nullptr: there are no more. Tensors that the model does not have are left out.
  const FlatRange* Next();

 private:
  bool NextTensor(int32_t& tensor);
  void SetOffsets();

  const Model& model_;
  const Division& division_;
  size_t range_ = 0, taken_ = 0;
  int32_t in_range_ = 0;
  bool ended_ = false;
  FlatRange flat_range_;
};

}  // namespace zerocts::plan
