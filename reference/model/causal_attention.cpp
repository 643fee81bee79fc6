#include "reference/model/causal_attention.hpp"

namespace zerocts {

AttentionSizes CausalAttention::Of(const MicroBatch& batch) const {
  AttentionSizes sizes = of_sample_;
  sizes.B = batch.size;
  return sizes;
}

float* CausalAttention::Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) {
  const AttentionSizes sizes = Of(batch);
  in_ = in;
  probabilities_.Resize(*batch.memory, sizes.squares_numel());
  out_.Resize(*batch.memory, sizes.out_numel());
  ops.CausalAttention(out_.data(), probabilities_.data(), in, precision_ == Precision::kBf16, sizes);
  return out_.data();
}

float* CausalAttention::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*,
                                 float* upstream) {
  const AttentionSizes sizes = Of(batch);
  downstream_.Resize(*batch.memory, sizes.qkv_numel());
  ops.CausalAttentionGradient(downstream_.data(), upstream, in_, probabilities_.data(), precision_ == Precision::kBf16,
                              sizes);
  return downstream_.data();
}

}  // namespace zerocts
