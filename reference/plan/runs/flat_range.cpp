#include "reference/plan/runs/flat_range.hpp"

#include <algorithm>
#include <numeric>

#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::plan {

int64_t FlatRange::elements() const { return std::accumulate(numel.begin(), numel.end(), int64_t{0}); }

bool FlatRange::ascending() const {
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (offset[i] < offset[i - 1] + numel[i - 1]) return false;
  }
  return true;
}

size_t FlatRange::FirstBehind(int64_t position) const {
  size_t first = 0, end = tensors.size();
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (offset[middle] + numel[middle] <= position) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

bool FlatRanges::NextTensor(int32_t& tensor) {
  for (; range_ < division_.tensors.size(); ++range_, in_range_ = 0) {
    const auto [first, end] = division_.tensors[range_];
    tensor = first + in_range_;
    if (tensor >= std::min<int64_t>(end, std::ssize(model_))) continue;
    ++in_range_, ++taken_;
    return true;
  }
  return false;
}

void FlatRanges::SetOffsets() {
  flat_range_ = {};
  int64_t end = 0;
  for (int32_t tensor; NextTensor(tensor);) {
    const size_t index = flat_range_.tensors.size();
    const int64_t numel = model_[tensor].numel();
    const int64_t begin =
        index < division_.offsets.size() ? division_.offsets[index] : RoundedUp(end, division_.offset_alignment);
    flat_range_.tensors.push_back(tensor);
    flat_range_.numel.push_back(numel);
    flat_range_.offset.push_back(begin);
    end = std::max(end, CheckedSum(begin, numel));
  }
  flat_range_.length = division_.length.value_or(end);
}

const FlatRange* FlatRanges::Next() {
  if (ended_) return nullptr;
  if (!division_.each) {
    ended_ = true;
    SetOffsets();
    return &flat_range_;
  }
  int32_t tensor = 0;
  ended_ = !NextTensor(tensor);
  if (ended_) return nullptr;
  const int64_t numel = model_[tensor].numel();
  flat_range_.tensors.assign(1, tensor);
  flat_range_.numel.assign(1, numel);
  flat_range_.offset.assign(1, 0);
  flat_range_.length = numel;
  flat_range_.first = taken_ - 1;
  return &flat_range_;
}

}  // namespace zerocts::plan
