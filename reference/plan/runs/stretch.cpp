#include "reference/plan/runs/stretch.hpp"

#include <algorithm>
#include <numeric>

#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::plan {

int64_t Stretch::elements() const { return std::accumulate(numel.begin(), numel.end(), int64_t{0}); }

bool Stretch::ascending() const {
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (offset[i] < offset[i - 1] + numel[i - 1]) return false;
  }
  return true;
}

size_t Stretch::FirstBehind(int64_t position) const {
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

bool Stretches::NextTensor(int32_t& tensor) {
  for (; range_ < division_.tensors.size(); ++range_, in_range_ = 0) {
    const auto [first, end] = division_.tensors[range_];
    tensor = first + in_range_;
    if (tensor >= std::min<int64_t>(end, std::ssize(model_))) continue;
    ++in_range_, ++taken_;
    return true;
  }
  return false;
}

void Stretches::SetOffsets() {
  stretch_ = {};
  int64_t end = 0;
  for (int32_t tensor; NextTensor(tensor);) {
    const size_t index = stretch_.tensors.size();
    const int64_t numel = model_[tensor].numel();
    const int64_t begin =
        index < division_.offsets.size() ? division_.offsets[index] : RoundedUp(end, division_.offset_alignment);
    stretch_.tensors.push_back(tensor);
    stretch_.numel.push_back(numel);
    stretch_.offset.push_back(begin);
    end = std::max(end, CheckedSum(begin, numel));
  }
  stretch_.length = division_.length.value_or(end);
}

const Stretch* Stretches::Next() {
  if (ended_) return nullptr;
  if (!division_.each) {
    ended_ = true;
    SetOffsets();
    return &stretch_;
  }
  int32_t tensor = 0;
  ended_ = !NextTensor(tensor);
  if (ended_) return nullptr;
  const int64_t numel = model_[tensor].numel();
  stretch_.tensors.assign(1, tensor);
  stretch_.numel.assign(1, numel);
  stretch_.offset.assign(1, 0);
  stretch_.length = numel;
  stretch_.first = taken_ - 1;
  return &stretch_;
}

}  // namespace zerocts::plan
