// Embedding: the rows of a table that the tokens name.
#pragma once
#include <string>

#include "reference/model/unit.hpp"

namespace zerocts {

class PositionEmbedding : public Unit {
 public:
  PositionEmbedding(int64_t T, int64_t C) : T_(T), C_(C) {}

  /// position_embedding [T, C]
  std::vector<UnitParameter> parameters() const override;
  /// [B, T, C], in place.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

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
  std::vector<UnitParameter> parameters() const override;
  /// out [B, T*C]: row inputs[b, t] of the table at columns t*C .. ; -0 where `own` lacks it.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override;

 private:
  std::string name_;
  EmbeddingShape shape_;
  VocabRange own_;
  Tensor<float> out_;  // [B, T*C]
};

}  // namespace zerocts
