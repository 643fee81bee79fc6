#include "impl/tensor_parallel/parameter_part.hpp"

#include <algorithm>

namespace zerocts::engine {
namespace {

int64_t Product(std::vector<int64_t>::const_iterator begin, std::vector<int64_t>::const_iterator end) {
  int64_t product = 1;
  for (; begin != end; ++begin) product *= *begin;
  return product;
}

}  // namespace

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
