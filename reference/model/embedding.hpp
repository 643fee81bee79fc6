// Embedding: the rows of a table that the tokens name.
#pragma once
#include <string>

#include "reference/model/unit.hpp"

namespace zerocts {

class PositionEmbedding : public Unit {
 public:
  PositionEmbedding(int64_t T, int64_t C) : T_(T), C_(C) {}

  /// position_embedding [T, C]
  std::vector<UnitParameter> parameters() const override {
    return {{{"position_embedding", {T_, C_}, 0}, MatrixRange(C_)}};
  }
  /// [B, T, C], in place.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override {
    ops.AddBias(in, parameters[0], batch.size, T_ * C_);
    return in;
  }
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const* gradients,
                  float* upstream) override {
    ops.BiasGradient(gradients[0], upstream, batch.size, T_ * C_);
    return upstream;
  }

 private:
  int64_t T_, C_;
};

struct EmbeddingShape {
  int64_t V, T, C;
  bool vocab_parallel = false;  // tensor ranks have equal parts of the rows; here it is whole
};

class Embedding : public Unit {
 public:
  Embedding(std::string name, const EmbeddingShape& shape) : Embedding(std::move(name), shape, {0, shape.V}) {}
  /// The table's rows of `own` alone.
  Embedding(std::string name, const EmbeddingShape& shape, VocabRange own)
      : name_(std::move(name)), shape_(shape), own_(own) {}

  /// [own, C]
  std::vector<UnitParameter> parameters() const override {
    const TensorCut cut = shape_.vocab_parallel ? TensorCut{0} : TensorCut{};
    return {{{name_, {own_.numel(), shape_.C}, 0}, MatrixRange(shape_.C), cut}};
  }
  /// out [B, T*C]: row inputs[b, t] of the table at columns t*C .. ; -0 where `own` lacks it.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float*) override {
    const int64_t T = shape_.T, C = shape_.C;
    out_.Resize(*batch.memory, batch.size * T * C);
    ops.Embed(out_.data(), parameters[0], own_, batch.inputs, batch.size, T, C);
    return out_.data();
  }
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const*, float* const* gradients,
                  float* upstream) override {
    ops.EmbedGradient(gradients[0], own_, upstream, batch.inputs, batch.size, shape_.T, shape_.C);
    return nullptr;  // tokens have no gradient
  }

 private:
  std::string name_;
  EmbeddingShape shape_;
  VocabRange own_;
  Tensor<float> out_;  // [B, T*C]
};

}  // namespace zerocts
