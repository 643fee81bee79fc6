// Linear layers that tensor ranks split: column-parallel by their outputs, row-parallel by their inputs. Products, bias
// and gradients are those of Linear; here is what ranks give each other.
// Legend as in unit.hpp; I and O are inputs and outputs of the whole layer.
#pragma once
#include <string>

#include "impl/tensor_parallel/split_columns.hpp"
#include "impl/tensor_parallel/tensor_group.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/units.hpp"

namespace zerocts::engine {

/// A rank has rows of the weight and of the bias, and makes their outputs; no sum is split. Backward adds the ranks'
/// gradients of the input, in the order of the shape.
class ColumnParallelLinear : public Unit {
 public:
  /// `shape`: of the whole layer, split by outputs. With gather_output each rank's output has all O, else its own. With
  /// sequence_parallel Backward returns the rows of a rank's own positions; Forward takes all rows all the same.
  ColumnParallelLinear(const std::string& name, const LinearShape& shape, Precision precision, TensorGroup& group);

  /// This rank's.
  std::vector<UnitParameter> parameters() const override { return linear_.parameters(); }
  /// in [R, I], the same on all ranks. out [R, O or own].
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  /// upstream as `out`; with gather_output the same on all ranks. Returns [R, I], the same on all ranks.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

  void MoveInput(float* in) { linear_.MoveInput(in); }
  void RoundOperand(Ops& ops, float* operand, int64_t numel) { linear_.RoundOperand(ops, operand, numel); }

 private:
  const LinearShape shape_;
  SplitColumns outputs_;
  Linear linear_;
  Tensor<float> out_;       // [R, O], gathered
  Tensor<float> upstream_;  // [R, own]
};

/// A rank has columns of the weight, and partial sums of all outputs. They are added in the order of the shape, then
/// the bias, which every rank has whole, once.
class RowParallelLinear : public Unit {
 public:
  /// `shape`: of the whole layer, split by inputs. With input_is_parallel a rank is given its own inputs, else all.
  /// With sequence_parallel Forward returns the rows of a rank's own positions; Backward takes all rows all the same.
  RowParallelLinear(const std::string& name, const LinearShape& shape, Precision precision, TensorGroup& group);

  /// This rank's.
  std::vector<UnitParameter> parameters() const override { return linear_.parameters(); }
  /// in [R, own or I]. out [R, O], the same on all ranks.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  /// upstream [R, O], the same on all ranks. Returns [R, own or I].
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  const LinearShape shape_;
  SplitColumns inputs_;
  Linear linear_;
  Tensor<float> in_;          // [R, own]
  Tensor<float> downstream_;  // [R, I], gathered
};

/// Makes these layers, for a model whose other units are on every rank.
class TensorParallelLayers : public LayerMaker {
 public:
  explicit TensorParallelLayers(TensorGroup& group) : group_(group) {}
  std::unique_ptr<Unit> MakeLinear(const std::string& name, const LinearShape& shape,
                                   Precision precision) const override;
  RowSum MakeRowSum(const SliceOrder& order, int64_t T) const override;
  std::unique_ptr<Unit> SplitPositions(std::unique_ptr<Unit> unit, int64_t T, int64_t C) const override;
  std::unique_ptr<Unit> MakeEmbedding(const std::string& name, const EmbeddingShape& shape) const override;
  std::unique_ptr<Unit> MakeCrossEntropy(const CrossEntropyShape& shape) const override;
  int64_t OwnNumel(int64_t numel) const override { return group_.OwnOf(numel).numel(); }

 private:
  TensorGroup& group_;
};

}  // namespace zerocts::engine
