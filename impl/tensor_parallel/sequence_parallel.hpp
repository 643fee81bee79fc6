// Sequence parallelism: between layers that tensor ranks split a rank has its own positions of each sequence, rows
// [B * own, C]. Who needs all of them gathers them, for as long as it computes.
#pragma once
#include <memory>
#include <string>

#include "impl/tensor_parallel/split_columns.hpp"
#include "impl/tensor_parallel/tensor_group.hpp"
#include "reference/model/linear.hpp"

namespace zerocts::engine {

/// Column-parallel or replicated: Forward and Backward gather the input, and Backward returns own rows. Row-parallel:
/// Forward returns own rows, and Backward gathers upstream.
std::unique_ptr<Unit> MakeSequenceParallelLinear(const std::string& name, const LinearShape& shape, Precision precision,
                                                 TensorGroup& group);

/// A unit that makes all rows, of which a rank goes on with its own: Backward gathers upstream.
class SplitOutput : public Unit {
 public:
  SplitOutput(std::unique_ptr<Unit> unit, int64_t T, int64_t C, TensorGroup& group);

  std::vector<UnitParameter> parameters() const override { return unit_->parameters(); }
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  std::unique_ptr<Unit> unit_;
  int64_t C_;
  TensorGroup& group_;
  SplitColumns positions_;
  Tensor<float> out_;  // [B, own, C]
};

}  // namespace zerocts::engine
