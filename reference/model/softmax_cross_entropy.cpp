#include "reference/model/softmax_cross_entropy.hpp"

namespace zerocts {

float* SoftmaxCrossEntropy::Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) {
  const int64_t R = batch.size * targets_;
  loss_.Resize(*batch.memory, R);
  downstream_ = in;
  ops.SoftmaxCrossEntropy(loss_.data(), downstream_, in, batch.targets, R, V_);
  return loss_.data();
}

float* SoftmaxCrossEntropy::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*, float*) {
  ScaleGradient(ops, batch, downstream_, batch.size * targets_ * V_);
  return downstream_;
}

}  // namespace zerocts
