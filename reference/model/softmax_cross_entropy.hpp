// Softmax cross-entropy against the targets: the end of the chain.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class SoftmaxCrossEntropy : public Unit {
 public:
  /// targets: per sequence.
  SoftmaxCrossEntropy(int64_t targets, int64_t V) : targets_(targets), V_(V) {}

  /// R = B * targets. in: logits [R, V]; out: loss of each target [R]. The gradient of the mean loss takes the place of
  /// the logits in the same pass.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) override {
    const int64_t R = batch.size * targets_;
    loss_.Resize(*batch.memory, R);
    downstream_ = in;
    ops.SoftmaxCrossEntropy(loss_.data(), downstream_, in, batch.targets, R, V_);
    return loss_.data();
  }
  /// `upstream` is not read: the loss is where gradients start.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*, float*) override {
    ScaleGradient(ops, batch, downstream_, batch.size * targets_ * V_);
    return downstream_;
  }

 private:
  int64_t targets_, V_;
  Tensor<float> loss_;           // [R]
  float* downstream_ = nullptr;  // [R, V], the caller's
};

}  // namespace zerocts
