#include "impl/tensor_parallel/parameter_part.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace zerocts::engine {
namespace {

int64_t Product(std::vector<int64_t>::const_iterator begin, std::vector<int64_t>::const_iterator end) {
  int64_t product = 1;
  for (; begin != end; ++begin) product *= *begin;
  return product;
}

/// visit(own, whole, bytes) for each block: where it begins, in bytes.
template <typename Visit>
void ForEachBlock(const ParameterPart& part, int64_t element_bytes, const Visit& visit) {
  int64_t own = 0;
  for (int64_t first = 0; own < part.numel(); first += part.stride) {
    for (const IndexRange& block : part.blocks) {
      visit(own * element_bytes, (first + block.begin) * element_bytes,
            static_cast<size_t>(block.numel() * element_bytes));
      own += block.numel();
    }
  }
}

/// The block with element i of all blocks side by side, and where in it that is.
struct InBlock {
  InBlock(const ParameterPart& part, int64_t i) : block(part.blocks.begin()), passed(i) {
    while (passed >= block->numel()) passed -= block++->numel();
  }
  std::vector<IndexRange>::const_iterator block;
  int64_t passed;
  int64_t left() const { return block->numel() - passed; }
};

}  // namespace

int64_t ParameterPart::numel() const { return Product(shape.begin(), shape.end()); }

void CopyFromWhole(const ParameterPart& part, int64_t element_bytes, const void* whole, void* own) {
  ForEachBlock(part, element_bytes, [&](int64_t to, int64_t from, size_t bytes) {
    std::memcpy(static_cast<std::byte*>(own) + to, static_cast<const std::byte*>(whole) + from, bytes);
  });
}

void CopyToWhole(const ParameterPart& part, int64_t element_bytes, const void* own, void* whole) {
  ForEachBlock(part, element_bytes, [&](int64_t from, int64_t to, size_t bytes) {
    std::memcpy(static_cast<std::byte*>(whole) + to, static_cast<const std::byte*>(own) + from, bytes);
  });
}

int64_t ParameterPart::WholeIndex(int64_t i) const {
  const InBlock at(*this, i % length);
  return i / length * stride + at.block->begin + at.passed;
}

int64_t ParameterPart::OwnIndex(int64_t whole) const {
  int64_t own = whole / stride * length;
  for (const IndexRange& block : blocks) {
    const int64_t passed = whole % stride - block.begin;
    if (passed >= 0 && passed < block.numel()) return own + passed;
    own += block.numel();
  }
  return -1;
}

std::vector<IndexRange> ParameterPart::InWhole(int64_t first, int64_t last) const {
  std::vector<IndexRange> ranges;
  while (first < last) {
    const int64_t numel = std::min(last - first, InBlock(*this, first % length).left());
    const int64_t whole = WholeIndex(first);
    if (!ranges.empty() && ranges.back().end == whole) {
      ranges.back().end += numel;
    } else {
      ranges.push_back({whole, whole + numel});
    }
    first += numel;
  }
  return ranges;
}

ParameterPart PartOf(const std::vector<int64_t>& whole, const TensorCut& cut, int rank, int ranks) {
  ParameterPart part{.shape = whole, .replicated = cut.replicated()};
  if (part.replicated) {
    part.length = part.stride = Product(whole.begin(), whole.end());
    if (part.length > 0) part.blocks = {{0, part.length}};
    return part;
  }
  const int64_t inner = Product(whole.begin() + cut.dimension + 1, whole.end());
  int64_t& own_numel = part.shape[cut.dimension] = 0;
  for (const IndexRange& side_by_side : cut.parts.Of(whole[cut.dimension])) {
    const IndexRange own = PartOfElements(side_by_side.numel(), rank, ranks);
    const int64_t begin = (side_by_side.begin + own.begin) * inner;
    own_numel += own.numel();
    if (own.numel() * inner > 0) part.blocks.push_back({begin, begin + own.numel() * inner});
  }
  part.length = own_numel * inner;
  part.stride = whole[cut.dimension] * inner;
  return part;
}

ParameterPart WholePart(const std::vector<int64_t>& whole) {
  ParameterPart part = PartOf(whole, {}, 0, 1);
  part.replicated = false;
  return part;
}

ParameterPart NoPart(const std::vector<int64_t>& whole) {
  std::vector<int64_t> shape = whole;  // a matrix stays one
  if (shape.empty()) shape = {0};
  shape.front() = 0;
  return {.shape = shape, .stride = Product(whole.begin(), whole.end())};
}

}  // namespace zerocts::engine
