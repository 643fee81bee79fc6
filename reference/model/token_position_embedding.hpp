// Token embedding plus position embedding.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class TokenPositionEmbedding : public Unit {
 public:
  TokenPositionEmbedding(int64_t V, int64_t T, int64_t C) : V_(V), T_(T), C_(C) {}

  /// token_embedding [V, C], position_embedding [T, C]
  std::vector<UnitParameter> parameters() const override;
  /// out [B, T, C]
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  int64_t V_, T_, C_;
  Tensor<float> out_;  // [B, T, C]
};

}  // namespace zerocts
