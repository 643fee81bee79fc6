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
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override {
    const float* kept = Kept(ops, batch, in);
    float* out = branch_->Forward(ops, batch, parameters, in);
    ops.Add(out, kept, batch.size * numel_);
    return out;
  }
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override {
    const float* kept = Kept(ops, batch, upstream);
    float* downstream = branch_->Backward(ops, batch, parameters, gradients, upstream);
    ops.Add(downstream, kept, batch.size * numel_);
    return downstream;
  }

 private:
  /// Values that are added after the branch had them.
  const float* Kept(Ops& ops, const MicroBatch& batch, const float* values) {
    if (precision_ != Precision::kBf16) return values;
    const int64_t numel = batch.size * numel_;
    kept_.Resize(*batch.memory, numel);
    ops.Copy(kept_.data(), values, numel * sizeof(float));
    return kept_.data();
  }

  std::unique_ptr<Unit> branch_;
  int64_t numel_;
  Precision precision_;
  Tensor<float> kept_;  // [B, numel]: a copy of what the branch rounds in place
};

}  // namespace zerocts
