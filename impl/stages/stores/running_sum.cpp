#include "impl/stages/stores/running_sum.hpp"

#include <bit>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {

int SumRule::levels() const {
  return tree && micro_batches > 3 ? std::bit_width(static_cast<unsigned>(micro_batches)) : 1;
}

void RunningSum::Add(DeviceStream& stream, int k, float* values, int64_t offset, int64_t numel) const {
  if (rule_.kept_in == Precision::kBf16) stream.ops().RoundToBf16(values, numel);
  const auto level = [&](int i) { return levels_[i].as<float>() + offset; };
  const bool one_level = levels_.size() == 1;
  if (one_level && k > 0) return AddTo(stream, level(0), values, numel);

  // Like the carry of a binary counter: two trees of equal size become one of twice the size.
  int i = 0;
  for (; !one_level && (k >> i & 1) != 0; ++i) {
    AddTo(stream, level(i), values, numel);
    values = level(i);
  }
  if (values != level(i)) stream.ops().Copy(level(i), values, numel * kFloatBytes);

  if (one_level || k + 1 < rule_.micro_batches) return;
  const float* smaller = nullptr;  // what is left over, from the smallest tree to the largest
  for (int j = 0; j < std::ssize(levels_); ++j) {
    if ((rule_.micro_batches >> j & 1) == 0) continue;
    if (smaller) AddTo(stream, level(j), smaller, numel);
    smaller = level(j);
  }
}

void RunningSum::AddTo(DeviceStream& stream, float* sum, const float* values, int64_t numel) const {
  stream.ops().Add(sum, values, numel);
  if (rule_.kept_in == Precision::kBf16) stream.ops().RoundToBf16(sum, numel);
}

}  // namespace zerocts::engine
