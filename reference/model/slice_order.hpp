// Sums over what tensor parallelism splits: in which slices they are added, whatever the number of tensor ranks.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "reference/numerics/reduction_order.hpp"

namespace zerocts {

/// The order `slices(n)`. What is summed (the inputs of a row-parallel layer, the outputs of a column-parallel one in
/// its backward; tokens of a softmax, in fp32, and positions, where those are split) is cut into n slices. Each slice
/// is summed alone, then the slices are added from left to right. The sum of each slice and every sum of slices is
/// rounded to `rounding`. T tensor ranks hold n / T slices each, for any T that divides n; so the bits are the same for
/// all of them. One slice in fp32 is the plain sum.
struct SliceOrder {
  int64_t slices = 1;
  Rounding rounding = Rounding::kFp32;
  friend bool operator==(const SliceOrder&, const SliceOrder&) = default;
};

std::string ToString(const SliceOrder& order);  // "slices(12)", "slices(12)~bf16"
std::string ToString(Rounding rounding);        // "fp32", "bf16"
Rounding SliceRoundingFromString(const std::string& name);

/// Elements [begin, end) of what is summed.
struct IndexRange {
  int64_t begin = 0, end = 0;
  int64_t numel() const { return end - begin; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// How large the parts of m elements are.
enum class PartSizes {
  kEven,  // part `index` of `count` is [m index / count, m (index + 1) / count): 7 over 3 are 2, 2 and 3
  kCeil,  // all have ceil(m / count), as far as there are elements, as torch.chunk cuts: 7 over 3 are 3, 3 and 1
};
std::string ToString(PartSizes sizes);  // "even", "ceil"
PartSizes PartSizesFromString(const std::string& name);

/// Part `index` of `count` parts of m elements. It may be empty where m is not a multiple of `count`. Even parts of a
/// part are parts: those of n slices are those of T ranks, for any T that divides n.
IndexRange PartOfElements(int64_t m, int64_t index, int64_t count, PartSizes sizes = PartSizes::kEven);

/// Parts that stand side by side along one dimension, each of them cut by itself: how wide they are in relation to each
/// other. {1} is a dimension in one part, {1, 1, 1} are q, k and v, and {3, 1, 1} the same where three heads of q share
/// one of k and of v.
struct CutParts {
  CutParts(int64_t equal = 1) : widths(static_cast<size_t>(equal), 1) {}
  CutParts(std::initializer_list<int64_t> unequal) : widths(unequal) {}
  std::vector<int64_t> widths;

  /// The parts of m elements, of which the sum of the widths is a divisor.
  std::vector<IndexRange> Of(int64_t m) const;
  friend bool operator==(const CutParts&, const CutParts&) = default;
};

/// Its sum is that of its ranges, each summed alone, from left to right in fp32.
using Slice = std::vector<IndexRange>;

/// The slices of `numel` elements that stand in parts side by side. Slice s is PartOfElements(m, s, n) of each part of
/// m; ranges that touch are one. Slices without elements are left out, but for one if all are.
std::vector<Slice> SlicesOf(int64_t numel, const CutParts& parts, int64_t slices);

}  // namespace zerocts
