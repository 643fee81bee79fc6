#include "reference/model/embedding.hpp"

#include "reference/model/initial_range.hpp"

namespace zerocts {

std::vector<UnitParameter> Embedding::parameters() const { return {{{"embedding", {V_, C_}, 0}, MatrixRange(C_)}}; }

float* Embedding::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float*) {
  out_.Resize(*batch.memory, batch.size * T_ * C_);
  ops.Embed(out_.data(), parameters[0], batch.inputs, batch.size, T_, C_);
  return out_.data();
}

float* Embedding::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const* gradients,
                           float* upstream) {
  ops.EmbedGradient(gradients[0], upstream, batch.inputs, batch.size, T_, C_, V_);
  return nullptr;  // tokens have no gradient
}

}  // namespace zerocts
