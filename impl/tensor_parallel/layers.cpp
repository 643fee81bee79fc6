#include "impl/tensor_parallel/layers.hpp"

#include <algorithm>

#include "impl/layout/element_bytes.hpp"
#include "impl/tensor_parallel/sequence_parallel.hpp"
#include "impl/tensor_parallel/slice_sum_over_ranks.hpp"
#include "impl/tensor_parallel/vocabulary.hpp"

namespace zerocts::engine {
namespace {

/// The sum of rows [B * T, C] over slices that tensor ranks have, of which each rank gets the rows of its own positions
/// alone.
class ScatteredSliceSum : public SliceSumOverRanks {
 public:
  ScatteredSliceSum(const SliceOrder& order, int64_t numel, const CutParts& parts, int64_t T, int64_t C,
                    TensorGroup& group)
      : SliceSumOverRanks(order, numel, parts, group), T_(T), C_(C), positions_(T, 1, group, C) {}

  /// `numel`: of the whole rows, as the products are. Each rank's sums of slices go to the ranks that have the rows:
  /// slices * numel / ranks floats reach each.
  /// The window has, for as many slices as any rank has: this rank's sums, what it receives, and the sums of a range.
  void Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel) override {
    const int ranks = group().size();
    const int64_t B = numel / (T_ * C_), own = B * positions_.own() * C_;
    int64_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) most = std::max(most, first_slice()[rank + 1] - first_slice()[rank]);
    const int64_t received_numel = ranks * most * B * positions_.most() * C_;
    float* sums = group().Window(most * numel + received_numel + numel);
    float* received = sums + most * numel;
    range_ = received + received_numel;

    float* sum = sums;
    for (const Slice& slice : slices()) {
      SumSlice(ops, memory, slice, products, sum, numel);
      sum += numel;
    }
    group().Exchange(received, sums, positions_.CutsOf(most * B), "sums of slices");
    for (int rank = 0; rank < ranks; ++rank) {
      for (int64_t slice = first_slice()[rank]; slice < first_slice()[rank + 1]; ++slice) {
        const float* next = received + (rank * most + slice - first_slice()[rank]) * own;
        if (slice == 0) {
          ops.Copy(out, next, own * kFloatBytes);
        } else {
          AddSlice(ops, out, next, own);
        }
      }
    }
  }
  int64_t OwnRows(int64_t rows) const override { return positions_.OwnOf(rows); }

 private:
  float* RangeSums(TensorMemory&, int64_t) override { return range_; }

  int64_t T_, C_;
  SplitColumns positions_;
  float* range_ = nullptr;  // in the window, while Evaluate is called
};

/// The layer that a rank computes by itself.
LinearShape WithOutputs(LinearShape shape, int64_t own) {
  shape.O = own;
  return shape;
}
LinearShape WithInputs(LinearShape shape, int64_t own) {
  shape.I = own;
  return shape;
}

/// A sum over what one rank has all of.
std::unique_ptr<SliceSum> PlainSum(int64_t numel) { return std::make_unique<SliceSum>(SliceOrder{}, numel); }

/// The sum over what the ranks split, of rows of `columns`.
std::unique_ptr<SliceSum> SumOverRanks(const LinearShape& shape, int64_t numel, int64_t columns, TensorGroup& group) {
  const CutParts parts = shape.split == TensorSplit::kOutputs ? shape.parts : CutParts();
  if (!shape.sequence_parallel) return std::make_unique<SliceSumOverRanks>(shape.order, numel, parts, group);
  return std::make_unique<ScatteredSliceSum>(shape.order, numel, parts, shape.rows, columns, group);
}

}  // namespace

ColumnParallelLinear::ColumnParallelLinear(const std::string& name, const LinearShape& shape, Precision precision,
                                           TensorGroup& group)
    : shape_(shape),
      outputs_(shape.O, shape.parts, group),
      linear_(name, WithOutputs(shape, outputs_.own()), precision, PlainSum(shape.I),
              SumOverRanks(shape, shape.O, shape.I, group)) {}

float* ColumnParallelLinear::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  float* own = linear_.Forward(ops, batch, parameters, in);
  if (!shape_.gather_output) return own;
  const int64_t R = batch.size * shape_.rows;
  outputs_.Gather(ops, out_.Resize(*batch.memory, R * shape_.O), own, R, "outputs");
  return out_.data();
}

float* ColumnParallelLinear::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters,
                                      float* const* gradients, float* upstream) {
  if (shape_.gather_output) {
    const int64_t R = batch.size * shape_.rows;
    float* own = upstream_.Resize(*batch.memory, R * outputs_.own());
    outputs_.Take(ops, own, upstream, R);
    upstream = own;
  }
  return linear_.Backward(ops, batch, parameters, gradients, upstream);
}

RowParallelLinear::RowParallelLinear(const std::string& name, const LinearShape& shape, Precision precision,
                                     TensorGroup& group)
    : shape_(shape),
      inputs_(shape.I, 1, group),
      linear_(name, WithInputs(shape, inputs_.own()), precision, SumOverRanks(shape, shape.I, shape.O, group),
              PlainSum(shape.O)) {}

float* RowParallelLinear::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  if (!shape_.input_is_parallel) {
    const int64_t R = batch.size * shape_.rows;
    float* own = in_.Resize(*batch.memory, R * inputs_.own());
    inputs_.Take(ops, own, in, R);
    in = own;
  }
  return linear_.Forward(ops, batch, parameters, in);
}

float* RowParallelLinear::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters,
                                   float* const* gradients, float* upstream) {
  float* own = linear_.Backward(ops, batch, parameters, gradients, upstream);
  if (shape_.input_is_parallel) return own;
  const int64_t R = batch.size * shape_.rows;
  inputs_.Gather(ops, downstream_.Resize(*batch.memory, R * shape_.I), own, R, "gradients of inputs");
  return downstream_.data();
}

std::unique_ptr<Unit> TensorParallelLayers::MakeLinear(const std::string& name, const LinearShape& shape,
                                                       Precision precision) const {
  if (shape.sequence_parallel) return MakeSequenceParallelLinear(name, shape, precision, group_);
  if (shape.replicated) return LayerMaker::MakeLinear(name, shape, precision);
  if (shape.split == TensorSplit::kOutputs) {
    return std::make_unique<ColumnParallelLinear>(name, shape, precision, group_);
  }
  return std::make_unique<RowParallelLinear>(name, shape, precision, group_);
}

RowSum TensorParallelLayers::MakeRowSum(const SliceOrder& order, int64_t T) const {
  return RowSum(
      [order, T, &group = group_](int64_t B) { return std::make_unique<SliceSumOverRanks>(order, B * T, B, group); });
}

std::unique_ptr<Unit> TensorParallelLayers::SplitPositions(std::unique_ptr<Unit> unit, int64_t T, int64_t C) const {
  return std::make_unique<SplitOutput>(std::move(unit), T, C, group_);
}

std::unique_ptr<Unit> TensorParallelLayers::MakeEmbedding(const std::string& name, const EmbeddingShape& shape) const {
  if (!shape.vocab_parallel) return LayerMaker::MakeEmbedding(name, shape);
  return std::make_unique<VocabParallelEmbedding>(name, shape, group_);
}

std::unique_ptr<Unit> TensorParallelLayers::MakeCrossEntropy(const CrossEntropyShape& shape) const {
  return std::make_unique<VocabParallelCrossEntropy>(shape, group_);
}

}  // namespace zerocts::engine
