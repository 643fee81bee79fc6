#include "impl/tensor_parallel/for_test/layer_runs.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "impl/tensor_parallel/layers.hpp"
#include "impl/tensor_parallel/parameter_part.hpp"
#include "reference/model/test_tensors.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts::engine {
namespace {

struct LayerData {
  Floats weight, bias, in, upstream;
};

struct LayerResults {
  Floats out, downstream, weight_gradient, bias_gradient;
};

LayerData DataOf(const LinearShape& shape, Precision precision, int64_t R) {
  LayerData data{RandomFloats(shape.O * shape.I, 1), RandomFloats(shape.O, 2), RandomFloats(R * shape.I, 3),
                 RandomFloats(R * shape.O, 4)};
  if (precision == Precision::kBf16) {
    for (float& value : data.weight) value = RoundToBf16(value);
  }
  return data;
}

/// in [R, inputs], out [R, outputs].
LayerResults Run(Unit& layer, LayerData data, int64_t batch_size, int64_t in_numel, int64_t out_numel) {
  const MicroBatch batch{nullptr, nullptr, batch_size};
  const float* parameters[] = {data.weight.data(), data.bias.data()};
  LayerResults results{.weight_gradient = Floats(data.weight.size(), NAN),
                       .bias_gradient = Floats(data.bias.size(), NAN)};
  float* gradients[] = {results.weight_gradient.data(), results.bias_gradient.data()};
  const float* out = layer.Forward(HostOps(), batch, parameters, data.in.data());
  results.out.assign(out, out + out_numel);
  const float* downstream = layer.Backward(HostOps(), batch, parameters, gradients, data.upstream.data());
  results.downstream.assign(downstream, downstream + in_numel);
  return results;
}

LayerResults OnOneProcess(const LinearShape& shape, Precision precision, int64_t batch_size) {
  const int64_t R = batch_size * shape.rows;
  Linear layer("linear", shape, precision);
  return Run(layer, DataOf(shape, precision, R), batch_size, R * shape.I, R * shape.O);
}

Floats Own(const Floats& whole, const ParameterPart& part) {
  Floats own(part.numel());
  CopyFromWhole(part, sizeof(float), whole.data(), own.data());
  return own;
}

/// What one rank has of a layer's tensors.
struct RankView {
  RankView(const LinearShape& shape, int64_t B, const Communicator& comm)
      : shape_(shape), B_(B), R_(B * shape.rows), comm_(comm) {}

  bool column_parallel() const { return shape_.split == TensorSplit::kOutputs; }
  Floats Inputs(const Floats& in) const {
    if (column_parallel() && shape_.sequence_parallel) return Positions(in, shape_.I);
    const bool own = !column_parallel() && shape_.input_is_parallel;
    return own ? Cut(in, {R_, shape_.I}, {1}) : in;
  }
  Floats Outputs(const Floats& out) const {
    if (!column_parallel() && shape_.sequence_parallel) return Positions(out, shape_.O);
    const bool own = column_parallel() && !shape_.gather_output && !shape_.replicated;
    return own ? Cut(out, {R_, shape_.O}, {1, shape_.parts}) : out;
  }
  Floats Weight(const Floats& weight) const {
    if (shape_.replicated) return weight;
    return Cut(weight, {shape_.O, shape_.I}, column_parallel() ? TensorCut{0, shape_.parts} : TensorCut{1});
  }
  Floats Bias(const Floats& bias) const {
    return column_parallel() && !shape_.replicated ? Cut(bias, {shape_.O}, {0, shape_.parts}) : bias;
  }
  LayerData operator()(const LayerData& data) const {
    return {Weight(data.weight), Bias(data.bias), Inputs(data.in), Outputs(data.upstream)};
  }
  LayerResults operator()(const LayerResults& all) const {
    return {Outputs(all.out), Inputs(all.downstream), Weight(all.weight_gradient), Bias(all.bias_gradient)};
  }

 private:
  Floats Positions(const Floats& rows, int64_t C) const { return Cut(rows, {B_, shape_.rows, C}, {1}); }
  Floats Cut(const Floats& whole, const std::vector<int64_t>& shape, const TensorCut& cut) const {
    return Own(whole, PartOf(shape, cut, comm_.rank(), comm_.world_size()));
  }

  const LinearShape shape_;
  const int64_t B_, R_;
  const Communicator& comm_;
};

void Expect(const char* what, const Floats& expected, const Floats& got, const Communicator& comm) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i] && std::signbit(expected[i]) == std::signbit(got[i])) continue;
    throw std::runtime_error(fmt::format("{}[{}] of tensor rank {} of {} is {}: expected {}", what, i, comm.rank(),
                                         comm.world_size(), got[i], expected[i]));
  }
}

}  // namespace

std::string NameOf(const LinearShape& shape, Precision precision) {
  const bool column = shape.split == TensorSplit::kOutputs;
  return fmt::format("{}{}{}, {} inputs, {} outputs in parts {}, {}, {}, {}",
                     shape.replicated ? "replicated"
                     : column         ? "column-parallel"
                                      : "row-parallel",
                     column                    ? shape.gather_output ? ", gather_output" : ""
                     : shape.input_is_parallel ? ", input_is_parallel"
                                               : "",
                     shape.sequence_parallel ? fmt::format(", sequence_parallel over {}", shape.rows) : "", shape.I,
                     shape.O, fmt::join(shape.parts.widths, ":"), ToString(shape.order),
                     shape.bias ? "bias" : "no bias", ToString(precision));
}

void CheckLayer(const LinearShape& shape, Precision precision, Communicator& comm, DeviceStream& stream) {
  MemoryLedger ledger;
  TensorGroup group(comm, stream, ledger);
  const auto layer = TensorParallelLayers(group).MakeLinear("linear", shape, precision);
  for (const int64_t batch_size : {1, 3, 2}) {
    const int64_t R = batch_size * shape.rows;
    const RankView own(shape, batch_size, comm);
    const LayerResults expected = own(OnOneProcess(shape, precision, batch_size));
    const LayerData data = own(DataOf(shape, precision, R));
    const LayerResults got = Run(*layer, data, batch_size, std::ssize(data.in), std::ssize(data.upstream));
    Expect("out", expected.out, got.out, comm);
    Expect("gradient of input", expected.downstream, got.downstream, comm);
    Expect("gradient of weight", expected.weight_gradient, got.weight_gradient, comm);
    if (shape.bias) Expect("gradient of bias", expected.bias_gradient, got.bias_gradient, comm);
  }
}

namespace {

/// Positions that ranks divide, do not divide, and outnumber.
std::vector<LinearShape> SequenceParallelLayers() {
  std::vector<LinearShape> shapes;
  for (const int64_t T : {1, 2, 7, 12}) {
    for (const SliceOrder& order : {SliceOrder{12}, SliceOrder{24, Rounding::kBf16}}) {
      const LinearShape row{
          .I = 37, .O = 5, .rows = T, .split = TensorSplit::kInputs, .order = order, .sequence_parallel = true};
      const LinearShape column{.I = 5, .O = 3 * 13, .rows = T, .order = order, .parts = 3, .sequence_parallel = true};
      LinearShape head{.I = 5, .O = 29, .rows = T, .bias = false, .order = order, .sequence_parallel = true};
      head.gather_output = true;
      LinearShape tied_head = head, narrow = row;
      tied_head.replicated = true;
      narrow.I = 2;
      shapes.insert(shapes.end(), {row, narrow, column, head, tied_head});
    }
  }
  return shapes;
}

}  // namespace

std::vector<LinearShape> LayersToCheck() {
  std::vector<LinearShape> shapes = SequenceParallelLayers();
  for (const auto& [I, O] : {std::pair<int64_t, int64_t>{7, 24}, {24, 7}, {37, 29}, {2, 3}, {3, 2}}) {
    for (const bool bias : {true, false}) {
      for (const SliceOrder& order : {SliceOrder{12}, SliceOrder{24, Rounding::kBf16}}) {
        for (const bool whole : {true, false}) {
          LinearShape shape{.I = I, .O = O, .rows = 3, .bias = bias, .order = order, .gather_output = whole};
          shapes.push_back(shape);
          shape.input_is_parallel = !whole;
          shape.split = TensorSplit::kInputs;
          shapes.push_back(shape);
        }
      }
    }
  }
  for (const bool whole : {true, false}) {
    shapes.push_back({.I = 5, .O = 3 * 24, .order = {12}, .parts = 3, .gather_output = whole});
    shapes.push_back({.I = 5, .O = 3 * 7, .order = {12}, .parts = 3, .gather_output = whole});
    shapes.push_back({.I = 5, .O = 5 * 12, .order = {12}, .parts = {3, 1, 1}, .gather_output = whole});
    shapes.push_back({.I = 5, .O = 4 * 7, .order = {12}, .parts = {2, 1, 1}, .gather_output = whole});
  }
  return shapes;
}

bool OrdersDiffer(const LinearShape& shape, Precision precision) {
  LinearShape plain = shape;
  plain.order = {};
  const LayerResults a = OnOneProcess(shape, precision, 3), b = OnOneProcess(plain, precision, 3);
  return a.out != b.out || a.downstream != b.downstream;
}

}  // namespace zerocts::engine
