#include "reference/model/position_embedding.hpp"

#include "reference/model/initial_range.hpp"

namespace zerocts {

std::vector<UnitParameter> PositionEmbedding::parameters() const {
  return {{{"position_embedding", {T_, C_}, 0}, MatrixRange(C_)}};
}

float* PositionEmbedding::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  ops.AddBias(in, parameters[0], batch.size, T_ * C_);
  return in;
}

float* PositionEmbedding::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const* gradients,
                                   float* upstream) {
  ops.BiasGradient(gradients[0], upstream, batch.size, T_ * C_);
  return upstream;
}

}  // namespace zerocts
