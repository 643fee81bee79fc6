// Vocabulary parallelism: tensor ranks have rows of the embedding, and the logits of those tokens. Rows and losses are
// those of Embedding and SplitCrossEntropy; here is what ranks give each other.
#pragma once
#include <string>

#include "impl/tensor_parallel/tensor_group.hpp"
#include "reference/model/embedding.hpp"
#include "reference/model/split_cross_entropy.hpp"

namespace zerocts::engine {

/// Those of V tokens that this rank has.
VocabRange OwnVocab(int64_t V, const TensorGroup& group);

/// A rank looks up the tokens that it has. The sum over ranks is every token's row: the others have -0 there.
class VocabParallelEmbedding : public Embedding {
 public:
  VocabParallelEmbedding(const std::string& name, const EmbeddingShape& shape, TensorGroup& group)
      : Embedding(name, shape, OwnVocab(shape.V, group)), row_numel_(shape.T * shape.C), group_(group) {}

  /// out [B, T*C], the same on all ranks.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override;

 private:
  int64_t row_numel_;
  TensorGroup& group_;
};

/// A rank has its own logits of each row. Ranks give each other two numbers of each row, and one of each
/// row and slice, not its logits.
class VocabParallelCrossEntropy : public SplitCrossEntropy {
 public:
  VocabParallelCrossEntropy(const CrossEntropyShape& shape, TensorGroup& group);

 protected:
  void Combine(Ops& ops, float* largest, float* target_logit, int64_t R) override;

 private:
  TensorGroup& group_;
};

}  // namespace zerocts::engine
