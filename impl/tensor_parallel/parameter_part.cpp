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
  for (int64_t i = 0; i < part.numel(); i += part.length) {
    visit(i * element_bytes, part.WholeIndex(i) * element_bytes, static_cast<size_t>(part.length * element_bytes));
  }
}

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

int64_t ParameterPart::OwnIndex(int64_t whole) const {
  const int64_t passed = whole - begin;
  if (passed < 0 || length == 0 || passed % stride >= length) return -1;
  return passed / stride * length + passed % stride;
}

std::vector<Stretch> ParameterPart::InWhole(int64_t first, int64_t last) const {
  std::vector<Stretch> stretches;
  while (first < last) {
    const int64_t numel = std::min(last - first, length - first % length);
    const int64_t whole = WholeIndex(first);
    if (!stretches.empty() && stretches.back().end == whole) {
      stretches.back().end += numel;
    } else {
      stretches.push_back({whole, whole + numel});
    }
    first += numel;
  }
  return stretches;
}

ParameterPart PartOf(const std::vector<int64_t>& whole, const TensorCut& cut, int rank, int ranks) {
  ParameterPart part{.shape = whole, .replicated = cut.replicated()};
  if (part.replicated) {
    part.length = part.stride = Product(whole.begin(), whole.end());
    return part;
  }
  const int64_t m = whole[cut.dimension] / cut.parts;
  const Stretch own = PartOfElements(m, rank, ranks);
  const int64_t inner = Product(whole.begin() + cut.dimension + 1, whole.end());
  part.shape[cut.dimension] = cut.parts * own.numel();
  part.begin = own.begin * inner;
  part.length = own.numel() * inner;
  part.stride = m * inner;
  return part;
}

}  // namespace zerocts::engine
