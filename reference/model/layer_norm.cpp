#include "reference/model/layer_norm.hpp"

#include "reference/model/initial_range.hpp"

namespace zerocts {

std::vector<UnitParameter> LayerNorm::parameters() const {
  return {{{name_ + ".weight", {C_}, 1}, Constant(1.0f)}, {{name_ + ".bias", {C_}, 1}, Constant(0.0f)}};
}

float* LayerNorm::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  const int64_t R = batch.size * rows_;
  in_ = in;
  mean_.Resize(*batch.memory, R);
  rstd_.Resize(*batch.memory, R);
  out_.Resize(*batch.memory, R * C_);
  ops.LayerNorm(out_.data(), mean_.data(), rstd_.data(), in_, parameters[0], parameters[1], kEpsilon, R, C_);
  return out_.data();
}

float* LayerNorm::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                           float* upstream) {
  const int64_t R = batch.size * rows_;
  ops.LayerNormGradient(upstream, gradients[0], gradients[1], upstream, in_, mean_.data(), rstd_.data(), parameters[0],
                        R, C_);
  return upstream;
}

}  // namespace zerocts
