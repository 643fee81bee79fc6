// GELU, elementwise.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class Gelu : public Unit {
 public:
  /// C channels per sample.
  explicit Gelu(int64_t C) : C_(C) {}

  /// in, out [B, C]
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  /// In place: the gradient stands where `upstream` did.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  int64_t C_;
  const float* in_ = nullptr;  // [B, C], the caller's
  Tensor<float> tanh_;         // [B, C], of the forward
  Tensor<float> out_;          // [B, C]
};

}  // namespace zerocts
