// Linear layer: out = in weight^T + bias.
#pragma once
#include <memory>
#include <string>

#include "reference/model/row_sum.hpp"
#include "reference/model/unit.hpp"

namespace zerocts {

/// What tensor ranks split: the outputs (column-parallel) or the inputs (row-parallel).
enum class TensorSplit { kOutputs, kInputs };

/// What a linear layer is. The last four say what tensor ranks make of it; here it is whole.
struct LinearShape {
  int64_t I, O;      // inputs and outputs of a row
  int64_t rows = 1;  // per sequence: 1, or T
  bool bias = true;
  int64_t residual_depth = 0;  // > 0: its output is added to a residual stream, one of so many; drawn smaller
  TensorSplit split = TensorSplit::kOutputs;
  SliceOrder order = {};          // of the sums over what is split: in Forward over inputs, in Backward over outputs
  CutParts parts = 1;             // the outputs are several side by side: q, k and v
  bool gather_output = false;     // column-parallel: all outputs on every tensor rank, else its own
  bool input_is_parallel = true;  // row-parallel: a tensor rank is given its own inputs, else all
  bool replicated = false;        // every tensor rank computes all of it, in the same order
  /// Positions are split where columns are not: of the input of a column-parallel layer, of the output of a
  /// row-parallel one, whose bias so has a gradient in slices of positions.
  bool sequence_parallel = false;
};

class Linear : public Unit {
 public:
  /// `weight` is the weight's whole name when there is no bias, else the prefix of NAME.weight and NAME.bias.
  /// In bf16 the operands of its products (in, upstream) are rounded in place; the weight is representable already.
  Linear(std::string name, const LinearShape& shape, Precision precision);
  /// The same with sums of the caller's: over inputs in Forward, over outputs in Backward.
  Linear(std::string name, const LinearShape& shape, Precision precision, std::unique_ptr<SliceSum> over_inputs,
         std::unique_ptr<SliceSum> over_outputs);

  /// weight [O, I], bias [O]
  std::vector<UnitParameter> parameters() const override;
  /// R = B * rows. in [R, I], out [R, O]; of those rows the ones that the sum over inputs writes (OwnRows).
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

  /// Backward reads the input, as Forward left it, here.
  void MoveInput(float* in) { in_ = in; }
  void RoundOperand(Ops& ops, float* operand, int64_t numel);

 private:
  Operands operands() const { return precision_ == Precision::kBf16 ? Operands::kBf16 : Operands::kFp32; }

  std::string name_;
  LinearShape shape_;
  Precision precision_;
  std::unique_ptr<SliceSum> over_inputs_, over_outputs_;
  RowSum over_rows_;          // of the bias
  float* in_ = nullptr;       // [R, I], the caller's
  Tensor<float> out_;         // [R, O]
  Tensor<float> downstream_;  // [R, I]
};

}  // namespace zerocts
