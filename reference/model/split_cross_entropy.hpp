// Softmax cross-entropy of rows whose logits are split: the end of the chain under vocabulary parallelism.
#pragma once
#include <memory>

#include "reference/model/slice_sum.hpp"
#include "reference/model/unit.hpp"

namespace zerocts {

struct CrossEntropyShape {
  int64_t targets, V;  // targets per sequence
  int64_t slices = 1;  // in which the numerators of a row are added, in fp32; one has the bits of SoftmaxCrossEntropy
};

class SplitCrossEntropy : public Unit {
 public:
  explicit SplitCrossEntropy(const CrossEntropyShape& shape)
      : SplitCrossEntropy(shape, {0, shape.V}, std::make_unique<SliceSum>(SliceOrder{shape.slices}, shape.V)) {}
  /// Takes the logits of `own` alone, with a sum over those of all processes.
  SplitCrossEntropy(const CrossEntropyShape& shape, VocabRange own, std::unique_ptr<SliceSum> over_vocab)
      : shape_(shape), own_(own), over_vocab_(std::move(over_vocab)) {}

  /// R = B * targets. in: logits [R, own]; out: loss of each target [R]. The gradient of the mean loss takes the place
  /// of the logits.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  /// `upstream` is not read: the loss is where gradients start.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 protected:
  /// What processes find in their own logits becomes what all find, [R] each: the largest, and the one target that
  /// exactly one process has. Here, this process has all.
  virtual void Combine(Ops&, float* /*largest*/, float* /*target_logit*/, int64_t /*R*/) {}

 private:
  int64_t Rows(const MicroBatch& batch) const { return batch.size * shape_.targets; }

  CrossEntropyShape shape_;
  VocabRange own_;
  std::unique_ptr<SliceSum> over_vocab_;
  Tensor<float> largest_, target_logit_, sum_, loss_;  // [R]
  float* downstream_ = nullptr;                        // [R, own], the caller's
};

}  // namespace zerocts
