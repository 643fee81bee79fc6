#include "reference/model/token_position_embedding.hpp"

#include "reference/model/initial_range.hpp"

namespace zerocts {

std::vector<UnitParameter> TokenPositionEmbedding::parameters() const {
  return {{{"token_embedding", {V_, C_}, 0}, MatrixRange(C_)}, {{"position_embedding", {T_, C_}, 0}, MatrixRange(C_)}};
}

float* TokenPositionEmbedding::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float*) {
  const int64_t B = batch.size;
  out_.Resize(*batch.memory, B * T_ * C_);
  ops.Embed(out_.data(), parameters[0], batch.inputs, B, T_, C_);
  ops.AddBias(out_.data(), parameters[1], B, T_ * C_);
  return out_.data();
}

float* TokenPositionEmbedding::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const* gradients,
                                        float* upstream) {
  const int64_t B = batch.size;
  ops.EmbedGradient(gradients[0], upstream, batch.inputs, B, T_, C_, V_);
  ops.BiasGradient(gradients[1], upstream, B, T_ * C_);
  return nullptr;  // tokens have no gradient
}

}  // namespace zerocts
