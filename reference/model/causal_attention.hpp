// Causal multi-head attention of packed queries, keys and values.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class CausalAttention : public Unit {
 public:
  CausalAttention(int64_t T, int64_t heads, int64_t C, Precision precision)
      : T_(T), heads_(heads), C_(C), precision_(precision) {}

  /// in [B*T, 3*C]: q | k | v; out [B*T, C]. In bf16 both are operands of products: `in` is rounded in place.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  int64_t T_, heads_, C_;
  Precision precision_;
  const float* in_ = nullptr;    // [B*T, 3*C], the caller's
  Tensor<float> probabilities_;  // [B, heads, T, T]
  Tensor<float> out_;            // [B*T, C]
  Tensor<float> downstream_;     // [B*T, 3*C]
};

}  // namespace zerocts
