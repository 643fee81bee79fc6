#include "reference/model/slice_sum.hpp"

#include <span>

namespace zerocts {

void SliceSum::Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel) {
  SumSlice(ops, memory, slices_.front(), products, out, numel);
  for (const Slice& slice : std::span(slices_).subspan(1)) {
    float* addend = slice_.Resize(memory, numel);
    SumSlice(ops, memory, slice, products, addend, numel);
    AddSlice(ops, out, addend, numel);
  }
}

void SliceSum::AddSlice(Ops& ops, float* inout, const float* next, int64_t numel) const {
  ops.Add(inout, next, numel);
  Round(ops, inout, numel);
}

void SliceSum::SumSlice(Ops& ops, TensorMemory& memory, const Slice& slice, const Products& products, float* out,
                        int64_t numel) {
  products(out, slice.front());
  for (const IndexRange& range : std::span(slice).subspan(1)) {
    float* addend = RangeSums(memory, numel);
    products(addend, range);
    ops.Add(out, addend, numel);
  }
  Round(ops, out, numel);
}

void SliceSum::Round(Ops& ops, float* inout, int64_t numel) const {
  if (rounding_ == Rounding::kBf16) ops.RoundToBf16(inout, numel);
}

}  // namespace zerocts
