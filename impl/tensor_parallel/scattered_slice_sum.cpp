#include "impl/tensor_parallel/scattered_slice_sum.hpp"

#include <algorithm>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {

ScatteredSliceSum::ScatteredSliceSum(const SliceOrder& order, int64_t numel, const CutParts& parts, int64_t T,
                                     int64_t C, TensorGroup& group)
    : SliceSumOverRanks(order, numel, parts, group), T_(T), C_(C), positions_(T, 1, group, C) {}

/// The window has, for as many slices as any rank has: this rank's sums, what it receives, and the sum of one stretch.
void ScatteredSliceSum::Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel) {
  const int ranks = group().size();
  const int64_t B = numel / (T_ * C_), own = B * positions_.own() * C_;
  int64_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) most = std::max(most, first_slice()[rank + 1] - first_slice()[rank]);
  const int64_t received_numel = ranks * most * B * positions_.most() * C_;
  float* sums = group().Window(most * numel + received_numel + numel);
  float* received = sums + most * numel;
  stretch_ = received + received_numel;

  float* sum = sums;
  for (const Slice& slice : slices()) {
    SumSlice(ops, memory, slice, products, sum, numel);
    sum += numel;
  }
  group().Exchange(received, sums, positions_.CutsOf(most * B), "sums of slices");
  for (int rank = 0; rank < ranks; ++rank) {
    for (int64_t slice = first_slice()[rank]; slice < first_slice()[rank + 1]; ++slice) {
      const float* next = received + (rank * most + slice - first_slice()[rank]) * own;
      if (slice == 0) {
        ops.Copy(out, next, own * kFloatBytes);
      } else {
        AddSlice(ops, out, next, own);
      }
    }
  }
}

}  // namespace zerocts::engine
