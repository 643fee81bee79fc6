#include "reference/model/layer_norm.hpp"

#include "reference/model/unit.hpp"

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
  const auto gradients_of = [&](float* sums, const IndexRange& rows) {
    const int64_t first = rows.begin * C_;
    ops.LayerNormGradient(upstream + first, sums, sums + C_, upstream + first, in_ + first, mean_.data() + rows.begin,
                          rstd_.data() + rows.begin, parameters[0], rows.numel(), C_);
  };
  float* sums = gradients_.Resize(*batch.memory, 2 * C_);
  over_rows_.Evaluate(ops, batch, gradients_of, sums, 2 * C_);
  ops.Copy(gradients[0], sums, C_ * sizeof(float));
  ops.Copy(gradients[1], sums + C_, C_ * sizeof(float));
  return upstream;
}

}  // namespace zerocts
