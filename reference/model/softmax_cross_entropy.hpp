// Softmax cross-entropy against the targets: the end of the chain.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class SoftmaxCrossEntropy : public Unit {
 public:
  explicit SoftmaxCrossEntropy(int64_t V) : V_(V) {}

  /// in: logits [B, V]; out: loss of each sample [B]. Makes the gradient of the mean loss in the same pass.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  /// `upstream` is not read: the loss is where gradients start.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  int64_t V_;
  std::vector<float> loss_;        // [B]
  std::vector<float> downstream_;  // [B, V]
};

}  // namespace zerocts
