// Causal attention of packed queries, keys and values.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class CausalAttention : public Unit {
 public:
  /// `of_sample`: sizes with B = 1.
  CausalAttention(const AttentionSizes& of_sample, Precision precision)
      : of_sample_(of_sample), precision_(precision) {}

  /// in [B*T, C + 2*Ckv]: q | k | v; out [B*T, C]. In bf16 both are operands of products: `in` is rounded in place.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) override {
    const AttentionSizes sizes = Of(batch);
    in_ = in;
    probabilities_.Resize(*batch.memory, sizes.squares_numel());
    out_.Resize(*batch.memory, sizes.out_numel());
    ops.CausalAttention(out_.data(), probabilities_.data(), in, precision_ == Precision::kBf16, sizes);
    return out_.data();
  }
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*, float* upstream) override {
    const AttentionSizes sizes = Of(batch);
    downstream_.Resize(*batch.memory, sizes.qkv_numel());
    ops.CausalAttentionGradient(downstream_.data(), upstream, in_, probabilities_.data(),
                                precision_ == Precision::kBf16, sizes);
    return downstream_.data();
  }

 private:
  AttentionSizes Of(const MicroBatch& batch) const {
    AttentionSizes sizes = of_sample_;
    sizes.B = batch.size;
    return sizes;
  }

  AttentionSizes of_sample_;
  Precision precision_;
  const float* in_ = nullptr;    // [B*T, C + 2*Ckv], the caller's
  Tensor<float> probabilities_;  // [B, heads, T, T]
  Tensor<float> out_;            // [B*T, C]
  Tensor<float> downstream_;     // [B*T, C + 2*Ckv]
};

}  // namespace zerocts
