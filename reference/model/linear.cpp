#include "reference/model/linear.hpp"

namespace zerocts {

std::vector<ParameterSpec> Linear::parameters() const {
  return {{name_ + ".weight", {O_, I_}, 0}, {name_ + ".bias", {O_}, 1}};
}

void Linear::RoundOperand(Ops& ops, float* operand, int64_t numel) {
  if (precision_ == Precision::kBf16) ops.RoundToBf16(operand, numel);
}

float* Linear::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  const int64_t B = batch.size;
  const float *weight = parameters[0], *bias = parameters[1];
  in_ = in;
  out_.resize(B * O_);
  RoundOperand(ops, in_, B * I_);
  ops.GemmNT(out_.data(), in_, weight, B, O_, I_, operands());  // [B,O] = [B,I] [O,I]^T
  ops.AddBias(out_.data(), bias, B, O_);
  return out_.data();
}

float* Linear::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                        float* upstream) {
  const int64_t B = batch.size;
  const float* weight = parameters[0];
  float *weight_gradient = gradients[0], *bias_gradient = gradients[1];
  downstream_.resize(B * I_);
  RoundOperand(ops, upstream, B * O_);
  ops.GemmTN(weight_gradient, upstream, in_, O_, I_, B, operands());        // [O,I] = [B,O]^T [B,I]
  ops.BiasGradient(bias_gradient, upstream, B, O_);             // [O]
  ops.GemmNN(downstream_.data(), upstream, weight, B, I_, O_, operands());  // [B,I] = [B,O] [O,I]
  return downstream_.data();
}

}  // namespace zerocts
