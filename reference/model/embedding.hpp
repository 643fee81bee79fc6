// Embedding: the rows of a table that the tokens name.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class Embedding : public Unit {
 public:
  Embedding(int64_t V, int64_t T, int64_t C) : V_(V), T_(T), C_(C) {}

  std::vector<UnitParameter> parameters() const override;
  /// out [B, T*C]: row inputs[b, t] of the table [V, C] at columns t*C ..
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  int64_t V_, T_, C_;
  Tensor<float> out_;  // [B, T*C]
};

}  // namespace zerocts
