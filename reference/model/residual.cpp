#include "reference/model/residual.hpp"

namespace zerocts {

/// Values that are added after the branch had them.
const float* Residual::Kept(Ops& ops, const MicroBatch& batch, const float* values) {
  if (precision_ != Precision::kBf16) return values;
  const int64_t numel = batch.size * numel_;
  kept_.Resize(*batch.memory, numel);
  ops.Copy(kept_.data(), values, numel * sizeof(float));
  return kept_.data();
}

float* Residual::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  const float* kept = Kept(ops, batch, in);
  float* out = branch_->Forward(ops, batch, parameters, in);
  ops.Add(out, kept, batch.size * numel_);
  return out;
}

float* Residual::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                          float* upstream) {
  const float* kept = Kept(ops, batch, upstream);
  float* downstream = branch_->Backward(ops, batch, parameters, gradients, upstream);
  ops.Add(downstream, kept, batch.size * numel_);
  return downstream;
}

}  // namespace zerocts
