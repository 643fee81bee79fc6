// Residual connection: out = in + branch(in).
#pragma once
#include <memory>

#include "reference/model/unit.hpp"

namespace zerocts {

class Residual : public Unit {
 public:
  /// `numel` elements per sequence.
  Residual(std::unique_ptr<Unit> branch, int64_t numel) : branch_(std::move(branch)), numel_(numel) {}

  std::vector<UnitParameter> parameters() const override { return branch_->parameters(); }
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  std::unique_ptr<Unit> branch_;
  int64_t numel_;
  Tensor<float> out_;              // [B, numel]
  Tensor<float> branch_upstream_;  // [B, numel]: a copy, which the branch may round in place
};

}  // namespace zerocts
