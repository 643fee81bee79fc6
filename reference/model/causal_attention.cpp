#include "reference/model/causal_attention.hpp"

namespace zerocts {

float* CausalAttention::Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) {
  const int64_t B = batch.size;
  in_ = in;
  probabilities_.Resize(*batch.memory, B * heads_ * T_ * T_);
  out_.Resize(*batch.memory, B * T_ * C_);
  ops.CausalAttention(out_.data(), probabilities_.data(), in, precision_ == Precision::kBf16, B, T_, heads_, C_);
  return out_.data();
}

float* CausalAttention::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*,
                                 float* upstream) {
  const int64_t B = batch.size;
  downstream_.Resize(*batch.memory, B * T_ * 3 * C_);
  ops.CausalAttentionGradient(downstream_.data(), upstream, in_, probabilities_.data(), precision_ == Precision::kBf16,
                              B, T_, heads_, C_);
  return downstream_.data();
}

}  // namespace zerocts
