#include "reference/model/gelu.hpp"

namespace zerocts {

float* Gelu::Forward(Ops& ops, const MicroBatch& batch, const float* const*, float* in) {
  in_ = in;
  out_.Resize(*batch.memory, batch.size * C_);
  tanh_.Resize(*batch.memory, batch.size * C_);
  ops.Gelu(out_.data(), tanh_.data(), in_, batch.size * C_);
  return out_.data();
}

float* Gelu::Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const*, float* upstream) {
  ops.GeluGradient(upstream, in_, tanh_.data(), upstream, batch.size * C_);
  return upstream;
}

}  // namespace zerocts
