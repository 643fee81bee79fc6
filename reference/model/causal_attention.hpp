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
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  AttentionSizes Of(const MicroBatch& batch) const;

  AttentionSizes of_sample_;
  Precision precision_;
  const float* in_ = nullptr;    // [B*T, C + 2*Ckv], the caller's
  Tensor<float> probabilities_;  // [B, heads, T, T]
  Tensor<float> out_;            // [B*T, C]
  Tensor<float> downstream_;     // [B*T, C + 2*Ckv]
};

}  // namespace zerocts
