// Position embedding: a row for each position, added to whatever stands there.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class PositionEmbedding : public Unit {
 public:
  PositionEmbedding(int64_t T, int64_t C) : T_(T), C_(C) {}

  /// position_embedding [T, C]
  std::vector<UnitParameter> parameters() const override;
  /// [B, T, C], in place.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  int64_t T_, C_;
};

}  // namespace zerocts
