#include "reference/model/linear.hpp"

#include "reference/model/unit.hpp"

namespace zerocts {
namespace {

/// The declared order where the sum is over what tensor ranks split, else the plain one.
SliceOrder OrderOver(TensorSplit what, const LinearShape& shape) {
  return shape.split == what ? shape.order : SliceOrder{};
}

TensorCut CutOfWeight(const LinearShape& shape) {
  if (shape.replicated) return {};
  return shape.split == TensorSplit::kOutputs ? TensorCut{0, shape.parts} : TensorCut{1};
}

/// The bias of a row-parallel layer is added once, to the sum.
TensorCut CutOfBias(const LinearShape& shape) {
  return shape.split == TensorSplit::kOutputs ? CutOfWeight(shape) : TensorCut{};
}

/// A column-parallel layer has upstream of all positions.
RowSum SumOfBias(const LinearShape& shape) {
  const bool in_slices = shape.sequence_parallel && shape.split == TensorSplit::kInputs;
  return in_slices ? OverPositions(shape.order, shape.rows) : OverRows(shape.rows);
}

}  // namespace

Linear::Linear(std::string name, const LinearShape& shape, Precision precision)
    : Linear(std::move(name), shape, precision,
             std::make_unique<SliceSum>(OrderOver(TensorSplit::kInputs, shape), shape.I),
             std::make_unique<SliceSum>(OrderOver(TensorSplit::kOutputs, shape), shape.O, shape.parts)) {}

Linear::Linear(std::string name, const LinearShape& shape, Precision precision, std::unique_ptr<SliceSum> over_inputs,
               std::unique_ptr<SliceSum> over_outputs)
    : name_(std::move(name)),
      shape_(shape),
      precision_(precision),
      over_inputs_(std::move(over_inputs)),
      over_outputs_(std::move(over_outputs)),
      over_rows_(SumOfBias(shape)) {}

std::vector<UnitParameter> Linear::parameters() const {
  const int64_t fan_in = shape_.I * (shape_.residual_depth > 0 ? shape_.residual_depth : 1);
  const std::vector<int64_t> weight_shape = {shape_.O, shape_.I};
  if (!shape_.bias) return {{{name_, weight_shape, 0}, MatrixRange(fan_in), CutOfWeight(shape_)}};
  return {{{name_ + ".weight", weight_shape, 0}, MatrixRange(fan_in), CutOfWeight(shape_)},
          {{name_ + ".bias", {shape_.O}, 1}, Constant(0.0f), CutOfBias(shape_)}};
}

void Linear::RoundOperand(Ops& ops, float* operand, int64_t numel) {
  if (precision_ == Precision::kBf16) ops.RoundToBf16(operand, numel);
}

float* Linear::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  const int64_t I = shape_.I, O = shape_.O, R = batch.size * shape_.rows;
  in_ = in;
  out_.Resize(*batch.memory, over_inputs_->OwnRows(R) * O);
  RoundOperand(ops, in_, R * I);
  const auto products = [&](float* out, const IndexRange& k) {  // [R,O] = [R,k] [O,k]^T
    ops.GemmNT({out, O}, {in_ + k.begin, I}, {parameters[0] + k.begin, I}, R, O, k.numel(), operands());
  };
  over_inputs_->Evaluate(ops, *batch.memory, products, out_.data(), R * O);
  if (shape_.bias) ops.AddBias(out_.data(), parameters[1], over_inputs_->OwnRows(R), O);
  return out_.data();
}

float* Linear::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                        float* upstream) {
  const int64_t I = shape_.I, O = shape_.O, R = batch.size * shape_.rows;
  downstream_.Resize(*batch.memory, over_outputs_->OwnRows(R) * I);
  RoundOperand(ops, upstream, R * O);
  ops.GemmTN(gradients[0], upstream, in_, O, I, R, operands());  // [O,I] = [R,O]^T [R,I]
  const auto bias_gradient = [&](float* sums, const IndexRange& rows) {
    ops.BiasGradient(sums, upstream + rows.begin * O, rows.numel(), O);
  };
  if (shape_.bias) over_rows_.Evaluate(ops, batch, bias_gradient, gradients[1], O);
  const auto products = [&](float* downstream, const IndexRange& k) {  // [R,I] = [R,k] [k,I]
    ops.GemmNN({downstream, I}, {upstream + k.begin, O}, {parameters[0] + k.begin * I, I}, R, I, k.numel(), operands());
  };
  over_outputs_->Evaluate(ops, *batch.memory, products, downstream_.data(), R * I);
  return downstream_.data();
}

}  // namespace zerocts
