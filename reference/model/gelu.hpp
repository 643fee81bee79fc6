// GELU, elementwise.
#pragma once
#include "reference/model/unit.hpp"

namespace zerocts {

class Gelu : public Unit {
 public:
  /// C channels per sample.
  explicit Gelu(int64_t C) : C_(C) {}

  /// in, out [B, C]
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) override {
    in_ = in;
    out_.Resize(*batch.memory, batch.size * C_);
    tanh_.Resize(*batch.memory, batch.size * C_);
    ops.Gelu(out_.data(), tanh_.data(), in_, batch.size * C_);
    return out_.data();
  }
  /// In place: the gradient stands where `upstream` did.
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*, float* upstream) override {
    ops.GeluGradient(upstream, in_, tanh_.data(), upstream, batch.size * C_);
    return upstream;
  }

 private:
  int64_t C_;
  const float* in_ = nullptr;  // [B, C], the caller's
  Tensor<float> tanh_;         // [B, C], of the forward
  Tensor<float> out_;          // [B, C]
};

}  // namespace zerocts
