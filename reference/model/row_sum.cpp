#include "reference/model/row_sum.hpp"

namespace zerocts {

void RowSum::Evaluate(Ops& ops, const MicroBatch& batch, const SliceSum::Products& products, float* out,
                      int64_t numel) {
  if (B_ != batch.size) {
    sum_ = make_(batch.size);
    B_ = batch.size;
  }
  sum_->Evaluate(ops, *batch.memory, products, out, numel);
}

RowSum OverRows(int64_t rows) {
  return RowSum([rows](int64_t B) { return std::make_unique<SliceSum>(SliceOrder{}, B * rows); });
}

RowSum OverPositions(const SliceOrder& order, int64_t T) {
  return RowSum([order, T](int64_t B) { return std::make_unique<SliceSum>(order, B * T, B); });
}

}  // namespace zerocts
