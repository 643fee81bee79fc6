#include "reference/model/linear.hpp"

#include "reference/model/initial_range.hpp"

namespace zerocts {

std::vector<UnitParameter> Linear::parameters() const {
  const int64_t fan_in = shape_.I * (shape_.residual_depth > 0 ? shape_.residual_depth : 1);
  const std::vector<int64_t> weight_shape = {shape_.O, shape_.I};
  if (!shape_.bias) return {{{name_, weight_shape, 0}, MatrixRange(fan_in)}};
  return {{{name_ + ".weight", weight_shape, 0}, MatrixRange(fan_in)},
          {{name_ + ".bias", {shape_.O}, 1}, Constant(0.0f)}};
}

void Linear::RoundOperand(Ops& ops, float* operand, int64_t numel) {
  if (precision_ == Precision::kBf16) ops.RoundToBf16(operand, numel);
}

float* Linear::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  const auto [I, O, rows, bias, _] = shape_;
  const int64_t R = batch.size * rows;
  in_ = in;
  out_.Resize(*batch.memory, R * O);
  RoundOperand(ops, in_, R * I);
  ops.GemmNT(out_.data(), in_, parameters[0], R, O, I, operands());  // [R,O] = [R,I] [O,I]^T
  if (bias) ops.AddBias(out_.data(), parameters[1], R, O);
  return out_.data();
}

float* Linear::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                        float* upstream) {
  const auto [I, O, rows, bias, _] = shape_;
  const int64_t R = batch.size * rows;
  downstream_.Resize(*batch.memory, R * I);
  RoundOperand(ops, upstream, R * O);
  ops.GemmTN(gradients[0], upstream, in_, O, I, R, operands());                  // [O,I] = [R,O]^T [R,I]
  if (bias) ops.BiasGradient(gradients[1], upstream, R, O);                      // [O]
  ops.GemmNN(downstream_.data(), upstream, parameters[0], R, I, O, operands());  // [R,I] = [R,O] [O,I]
  return downstream_.data();
}

}  // namespace zerocts
