#include "impl/tensor_parallel/sequence_parallel.hpp"

#include "impl/tensor_parallel/layers.hpp"

namespace zerocts::engine {
namespace {

/// Rows [B * T, C] from those that each rank has, until the next layer gathers.
float* GatherRows(Ops& ops, const MicroBatch& batch, const float* own, SplitColumns& positions, TensorGroup& group,
                  const char* what) {
  float* rows = group.Gathered(*batch.memory, positions.FullNumel(batch.size));
  positions.Gather(ops, rows, own, batch.size, what);
  return rows;
}

/// A layer of all positions. Its input is gathered again for Backward, so that between the two a rank keeps its own.
template <typename Layer>
class OfGatheredInput : public Unit {
 public:
  OfGatheredInput(std::unique_ptr<Layer> layer, const LinearShape& shape, TensorGroup& group)
      : layer_(std::move(layer)), shape_(shape), group_(group), positions_(shape.rows, 1, group, shape.I) {}

  std::vector<UnitParameter> parameters() const override { return layer_->parameters(); }

  /// in [B * own, I], rounded where it is an operand.
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override {
    in_ = in;
    layer_->RoundOperand(ops, in_, batch.size * positions_.own() * shape_.I);
    return layer_->Forward(ops, batch, parameters, GatherInput(ops, batch));
  }

  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override {
    layer_->MoveInput(GatherInput(ops, batch));
    return layer_->Backward(ops, batch, parameters, gradients, upstream);
  }

 private:
  float* GatherInput(Ops& ops, const MicroBatch& batch) {
    return GatherRows(ops, batch, in_, positions_, group_, "inputs");
  }

  std::unique_ptr<Layer> layer_;
  const LinearShape shape_;
  TensorGroup& group_;
  SplitColumns positions_;
  float* in_ = nullptr;  // [B * own, I], the caller's
};

template <typename Layer>
std::unique_ptr<Unit> WithGatheredInput(std::unique_ptr<Layer> layer, const LinearShape& shape, TensorGroup& group) {
  return std::make_unique<OfGatheredInput<Layer>>(std::move(layer), shape, group);
}

/// Takes the rows of a rank's own positions from a sum that it has all of.
class OwnRowsOfSum : public SliceSum {
 public:
  OwnRowsOfSum(const SliceOrder& order, int64_t numel, int64_t T, int64_t C, TensorGroup& group)
      : SliceSum(order, numel), T_(T), C_(C), positions_(T, 1, group, C) {}

  void Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel) override {
    SliceSum::Evaluate(ops, memory, products, all_.Resize(memory, numel), numel);
    positions_.Take(ops, out, all_.data(), numel / (T_ * C_));
  }
  int64_t OwnRows(int64_t rows) const override { return positions_.OwnOf(rows); }

 private:
  int64_t T_, C_;
  SplitColumns positions_;
  Tensor<float> all_;
};

class OfGatheredUpstream : public Unit {
 public:
  OfGatheredUpstream(const std::string& name, const LinearShape& shape, Precision precision, TensorGroup& group)
      : layer_(name, shape, precision, group), group_(group), positions_(shape.rows, 1, group, shape.O) {}

  std::vector<UnitParameter> parameters() const override { return layer_.parameters(); }
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override {
    return layer_.Forward(ops, batch, parameters, in);
  }
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override {
    float* all = GatherRows(ops, batch, upstream, positions_, group_, "gradients of outputs");
    return layer_.Backward(ops, batch, parameters, gradients, all);
  }

 private:
  RowParallelLinear layer_;
  TensorGroup& group_;
  SplitColumns positions_;
};

}  // namespace

std::unique_ptr<Unit> MakeSequenceParallelLinear(const std::string& name, const LinearShape& shape, Precision precision,
                                                 TensorGroup& group) {
  if (shape.split == TensorSplit::kInputs) {
    return std::make_unique<OfGatheredUpstream>(name, shape, precision, group);
  }
  if (!shape.replicated) {
    return WithGatheredInput(std::make_unique<ColumnParallelLinear>(name, shape, precision, group), shape, group);
  }
  auto own_rows = std::make_unique<OwnRowsOfSum>(shape.order, shape.O, shape.rows, shape.I, group);
  return WithGatheredInput(
      std::make_unique<Linear>(name, shape, precision, std::make_unique<SliceSum>(SliceOrder{}, shape.I),
                               std::move(own_rows)),
      shape, group);
}

SplitOutput::SplitOutput(std::unique_ptr<Unit> unit, int64_t T, int64_t C, TensorGroup& group)
    : unit_(std::move(unit)), C_(C), group_(group), positions_(T, 1, group, C) {}

float* SplitOutput::Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) {
  const float* all = unit_->Forward(ops, batch, parameters, in);
  positions_.Take(ops, out_.Resize(*batch.memory, batch.size * positions_.own() * C_), all, batch.size);
  return out_.data();
}

float* SplitOutput::Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                             float* upstream) {
  float* all = GatherRows(ops, batch, upstream, positions_, group_, "gradients of outputs");
  return unit_->Backward(ops, batch, parameters, gradients, all);
}

}  // namespace zerocts::engine
