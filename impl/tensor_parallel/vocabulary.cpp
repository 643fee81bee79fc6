#include "impl/tensor_parallel/vocabulary.hpp"

#include "impl/layout/element_bytes.hpp"
#include "impl/tensor_parallel/slice_sum_over_ranks.hpp"

namespace zerocts::engine {

VocabRange OwnVocab(int64_t V, const TensorGroup& group) {
  const IndexRange own = group.OwnOf(V);
  return {own.begin, own.end};
}

float* VocabParallelEmbedding::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  float* out = Embedding::Forward(ops, batch, parameters, in);
  group_.Sum(ops, out, batch.size * row_numel_, "rows of the embedding");
  return out;
}

VocabParallelCrossEntropy::VocabParallelCrossEntropy(const CrossEntropyShape& shape, TensorGroup& group)
    : SplitCrossEntropy(shape, OwnVocab(shape.V, group),
                        std::make_unique<SliceSumOverRanks>(SliceOrder{shape.slices}, shape.V, 1, group)),
      group_(group) {}

void VocabParallelCrossEntropy::Combine(Ops& ops, float* largest, float* target_logit, int64_t R) {
  float* all = group_.Window(group_.size() * 2 * R);  // of each rank: its largest, then its targets
  float* own = all + group_.rank() * 2 * R;
  ops.Copy(own, largest, R * kFloatBytes);
  ops.Copy(own + R, target_logit, R * kFloatBytes);
  std::vector<int64_t> cut;
  for (int rank = 0; rank <= group_.size(); ++rank) cut.push_back(rank * 2 * R);
  group_.Gather(all, all, {cut}, "largest logits and targets");
  ops.Copy(largest, all, R * kFloatBytes);
  ops.Copy(target_logit, all + R, R * kFloatBytes);
  for (int rank = 1; rank < group_.size(); ++rank) {
    ops.Max(largest, all + rank * 2 * R, R);
    ops.Add(target_logit, all + rank * 2 * R + R, R);  // all but one are -0
  }
}

}  // namespace zerocts::engine
