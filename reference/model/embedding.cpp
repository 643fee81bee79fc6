#include "reference/model/embedding.hpp"

#include "reference/model/unit.hpp"

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

std::vector<UnitParameter> Embedding::parameters() const {
  const TensorCut cut = shape_.vocab_parallel ? TensorCut{0} : TensorCut{};
  return {{{name_, {own_.numel(), shape_.C}, 0}, MatrixRange(shape_.C), cut}};
}

float* Embedding::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float*) {
  const int64_t T = shape_.T, C = shape_.C;
  out_.Resize(*batch.memory, batch.size * T * C);
  ops.Embed(out_.data(), parameters[0], own_, batch.inputs, batch.size, T, C);
  return out_.data();
}

float* Embedding::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const* gradients,
                           float* upstream) {
  ops.EmbedGradient(gradients[0], own_, upstream, batch.inputs, batch.size, shape_.T, shape_.C);
  return nullptr;  // tokens have no gradient
}

}  // namespace zerocts
