// Which elements of a parameter a tensor rank has, and where they stand in the whole.
#pragma once
#include <cstdint>
#include <vector>

#include "reference/model/model_spec.hpp"

namespace zerocts::engine {

/// Blocks of equal size at equal distances: element i of the part is element WholeIndex(i) of the whole.
struct ParameterPart {
  std::vector<int64_t> shape;  // of the part
  bool replicated = false;     // every tensor rank has all of it
  int64_t begin = 0, length = 0, stride = 0;

  int64_t numel() const;
  bool is_whole() const { return begin == 0 && length == stride; }
  int64_t WholeIndex(int64_t i) const { return begin + i / length * stride + i % length; }
  /// The other way; -1 for an element that is not in the part.
  int64_t OwnIndex(int64_t whole) const;
  /// Elements [first, last) of the part as stretches of the whole, ascending; what touches is one.
  std::vector<Stretch> InWhole(int64_t first, int64_t last) const;
};

/// Between a part and the whole, of the host: elements of so many bytes.
void CopyFromWhole(const ParameterPart& part, int64_t element_bytes, const void* whole, void* own);
void CopyToWhole(const ParameterPart& part, int64_t element_bytes, const void* own, void* whole);

/// What rank `rank` of `ranks` has of a parameter of shape `whole`.
ParameterPart PartOf(const std::vector<int64_t>& whole, const TensorCut& cut, int rank, int ranks);

}  // namespace zerocts::engine
