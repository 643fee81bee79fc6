#include "reference/model/split_cross_entropy.hpp"

namespace zerocts {

float* SplitCrossEntropy::Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) {
  const int64_t R = Rows(batch), C = own_.numel();
  for (Tensor<float>* tensor : {&largest_, &target_logit_, &sum_, &loss_}) tensor->Resize(*batch.memory, R);
  ops.LargestLogits(largest_.data(), target_logit_.data(), in, own_, batch.targets, R);
  Combine(ops, largest_.data(), target_logit_.data(), R);
  const auto numerators = [&](float* sum, const IndexRange& v) {
    ops.SoftmaxNumerators({in + v.begin, C}, sum, {in + v.begin, C}, largest_.data(), R, v.numel());
  };
  over_vocab_->Evaluate(ops, *batch.memory, numerators, sum_.data(), R);
  ops.CrossEntropyOfSums(loss_.data(), in, largest_.data(), sum_.data(), target_logit_.data(), own_, batch.targets, R);
  downstream_ = in;
  return loss_.data();
}

float* SplitCrossEntropy::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*, float*) {
  ScaleGradient(ops, batch, downstream_, Rows(batch) * own_.numel());
  return downstream_;
}

}  // namespace zerocts
