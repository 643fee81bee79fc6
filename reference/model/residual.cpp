#include "reference/model/residual.hpp"

namespace zerocts {

float* Residual::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  const int64_t numel = batch.size * numel_;
  out_.Resize(*batch.memory, numel);
  ops.Copy(out_.data(), in, numel * sizeof(float));  // before the branch rounds it in place
  ops.Add(out_.data(), branch_->Forward(ops, batch, parameters, in), numel);
  return out_.data();
}

float* Residual::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                          float* upstream) {
  const int64_t numel = batch.size * numel_;
  branch_upstream_.Resize(*batch.memory, numel);
  ops.Copy(branch_upstream_.data(), upstream, numel * sizeof(float));
  float* downstream = branch_->Backward(ops, batch, parameters, gradients, branch_upstream_.data());
  ops.Add(downstream, upstream, numel);
  return downstream;
}

}  // namespace zerocts
