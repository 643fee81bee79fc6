// Residual connection: out = in + branch(in).
#pragma once
#include <memory>

#include "reference/model/unit.hpp"

namespace zerocts {

class Residual : public Unit {
 public:
  /// `numel` elements per sequence. But for rounding to bf16 the branch leaves its input and its upstream as they are.
  Residual(std::unique_ptr<Unit> branch, int64_t numel, Precision precision)
      : branch_(std::move(branch)), numel_(numel), precision_(precision) {}

  std::vector<UnitParameter> parameters() const override { return branch_->parameters(); }
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  const float* Kept(Ops& ops, const MicroBatch& batch, const float* values);

  std::unique_ptr<Unit> branch_;
  int64_t numel_;
  Precision precision_;
  Tensor<float> kept_;  // [B, numel]: a copy of what the branch rounds in place
};

}  // namespace zerocts
