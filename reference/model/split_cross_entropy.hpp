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
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) override {
    const int64_t R = Rows(batch), C = own_.numel();
    for (Tensor<float>* tensor : {&largest_, &target_logit_, &sum_, &loss_}) tensor->Resize(*batch.memory, R);
    ops.LargestLogits(largest_.data(), target_logit_.data(), in, own_, batch.targets, R);
    Combine(ops, largest_.data(), target_logit_.data(), R);
    const auto numerators = [&](float* sum, const IndexRange& v) {
      ops.SoftmaxNumerators({in + v.begin, C}, sum, {in + v.begin, C}, largest_.data(), R, v.numel());
    };
    over_vocab_->Evaluate(ops, *batch.memory, numerators, sum_.data(), R);
    ops.CrossEntropyOfSums(loss_.data(), in, largest_.data(), sum_.data(), target_logit_.data(), own_, batch.targets,
                           R);
    downstream_ = in;
    return loss_.data();
  }
  /// `upstream` is not read: the loss is where gradients start.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*, float*) override {
    ScaleGradient(ops, batch, downstream_, Rows(batch) * own_.numel());
    return downstream_;
  }

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
