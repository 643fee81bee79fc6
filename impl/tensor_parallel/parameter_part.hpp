// Which elements of a parameter a tensor rank has, and where they stand in the whole.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/model/model_spec.hpp"

namespace zerocts::engine {

/// The same blocks in every `stride` elements: element i of the part is element WholeIndex(i) of the whole.
struct ParameterPart {
  std::vector<int64_t> shape;      // of the part
  bool replicated = false;         // every tensor rank has all of it
  std::vector<IndexRange> blocks;  // of the first `stride` elements, ascending, none of them empty
  int64_t length = 0, stride = 0;  // length: of all blocks

  int64_t numel() const;
  bool is_whole() const { return length == stride; }
  int64_t WholeIndex(int64_t i) const;
  /// The other way; -1 for an element that is not in the part.
  int64_t OwnIndex(int64_t whole) const;
  /// Elements [first, last) of the part as ranges of the whole, ascending; what touches is one.
  std::vector<IndexRange> InWhole(int64_t first, int64_t last) const;
};

/// Between a part and the whole, of the host: elements of so many bytes.
void CopyFromWhole(const ParameterPart& part, int64_t element_bytes, const void* whole, void* own);
void CopyToWhole(const ParameterPart& part, int64_t element_bytes, const void* own, void* whole);

/// What rank `rank` of `ranks` has of a parameter of shape `whole`.
ParameterPart PartOf(const std::vector<int64_t>& whole, const TensorCut& cut, int rank, int ranks);

/// What a rank has of a parameter that it alone of those along an axis has, and what the others have.
ParameterPart WholePart(const std::vector<int64_t>& whole);
ParameterPart NoPart(const std::vector<int64_t>& whole);

/// Whole tensors of the host, cut to what a tensor rank has.
class OwnValues {
 public:
  /// `whole` stays the caller's while this is used: a part that is the whole is not copied.
  OwnValues(const std::vector<const float*>& whole, const std::vector<ParameterPart>& parts) : pointers_(whole) {
    for (size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].is_whole()) continue;
      std::vector<float>& own = copies_.emplace_back(parts[p].numel());
      CopyFromWhole(parts[p], sizeof(float), whole[p], own.data());
      pointers_[p] = own.data();
    }
  }

  const std::vector<const float*>& pointers() const { return pointers_; }

 private:
  std::vector<std::vector<float>> copies_;
  std::vector<const float*> pointers_;
};

}  // namespace zerocts::engine
